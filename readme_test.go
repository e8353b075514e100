package gozmq_test

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const exampleFile = "zmq/example_test.go"

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// run returns the output of a command.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	var faults strings.Builder
	command := exec.Command(name, args...)
	command.Stderr = &faults
	printed, err := command.Output()
	require.NoError(t, err, faults.String())
	return string(printed)
}

// A fragment is some code in a document, and the line on which it begins.
type fragment struct {
	line int
	code string
}

// goBlocks returns the blocks of Go code of a Markdown text.
func goBlocks(text string) []fragment {
	const fence = "```"
	var blocks []fragment
	begin := 0
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		switch {
		case line == fence+"go":
			begin = i + 1
		case line == fence && begin > 0:
			blocks = append(blocks, fragment{begin + 1, strings.Join(lines[begin:i], "\n")})
			begin = 0
		}
	}
	return blocks
}

// body returns the code between a line and the first closing brace in column 0, or "".
func body(code, line string) string {
	_, rest, _ := strings.Cut(code, line+"\n")
	text, _, _ := strings.Cut(rest, "\n}")
	return text
}

// Each program in the README is the code of an Example, and prints the Example's output.
func TestReadmeCodeIsFromExamples(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), exampleFile, nil, parser.ParseComments)
	require.NoError(t, err)
	outputs := map[string]string{} // of each Example, by its body
	source := read(t, exampleFile)
	for _, e := range doc.Examples(file) {
		code, _, _ := strings.Cut(body(source, "func Example"+e.Name+"() {"), "\n\t// Output:")
		outputs[code] = e.Output
	}
	blocks := goBlocks(read(t, "README.md"))
	require.NotEmpty(t, blocks)
	for _, b := range blocks {
		program := b.code
		require.Contains(t, program, "package main\n")
		code := body(program, "func main() {")
		require.Contains(t, outputs, code, "no Example in %s is:\n%s", exampleFile, code)
		const check = "func check(err error) {"
		require.Equal(t, body(source, check), body(program, check))

		main := filepath.Join(t.TempDir(), "main.go")
		require.NoError(t, os.WriteFile(main, []byte(program+"\n"), 0o600))
		require.Equal(t, outputs[code], run(t, "go", "run", main))
	}
}

// given has the variables that the fragments in the documents may use.
const given = `zctx *zmq.Context, s, frontend, backend, sub, dealer *zmq.Socket, next uint64, ctx context.Context, part, header, body, id, buf []byte, parts [][]byte,
	text, endpoint, key string, err error, handle func(zmq.Multipart), handlePart func([]byte),
	items [][]byte, frame []byte, frames chan []byte`

// snippetImports has the packages that the fragments import, and a name of each.
var snippetImports = [][2]string{
	{"context", "context.Background"},
	{"encoding/json", "json.Marshal"},
	{"errors", "errors.As"},
	{"fmt", "fmt.Sprint"},
	{"expvar", "expvar.NewMap"},
	{"io", "io.EOF"},
	{"log", "log.Print"},
	{"log/slog", "slog.Default"},
	{"net", "net.ErrClosed"},
	{"net/netip", "netip.ParsePrefix"},
	{"os", "os.Interrupt"},
	{"os/signal", "signal.NotifyContext"},
	{"syscall", "syscall.EAGAIN"},
	{"time", "time.Second"},
	{"github.com/go-zmq/go-zmq/poller", "poller.New"},
	{"github.com/go-zmq/go-zmq/pool", "pool.New"},
	{"github.com/go-zmq/go-zmq/zmq", "zmq.NewContext"},
	{"github.com/go-zmq/go-zmq/zmq/replay", "replay.FromSeq"},
	{"github.com/go-zmq/go-zmq/zmq/request", "request.NewClient"},
	{"github.com/go-zmq/go-zmq/zmq/task", "task.NewQueue"},
	{"github.com/go-zmq/go-zmq/zmq/zap", "zap.Start"},
}

// Every Go fragment in the documents compiles.
func TestSnippetsCompile(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	source.WriteString("package p\n\nimport (\n")
	for _, use := range snippetImports {
		fmt.Fprintf(&source, "%q\n", use[0])
	}
	source.WriteString(")\n\n")
	for _, use := range snippetImports {
		fmt.Fprintf(&source, "var _ = %s\n", use[1])
	}
	documents := map[string][]fragment{"docs/guide.md": goBlocks(read(t, "docs/guide.md"))}
	migrations, err := filepath.Glob("docs/migration*.md")
	require.NoError(t, err)
	for _, path := range migrations {
		text := read(t, path)
		documents[path] = append(goBlocks(text), rightHandSides(t, text)...)
	}
	for path, fragments := range documents {
		require.NotEmpty(t, fragments, path)
		t.Logf("%s: %d fragments", path, len(fragments))
		for _, f := range fragments {
			if path == migration && isFile(f) {
				continue // TestMigrationProgramRuns builds it
			}
			// With the line directive the compiler names the document.
			fmt.Fprintf(&source, "\nfunc _(%s) {\n{\n//line %s:%d\n%s\n%s\n}\n}\n", given, path, f.line, f.code, use(t, f.code))
		}
	}
	file := filepath.Join(t.TempDir(), "snippets.go")
	require.NoError(t, os.WriteFile(file, []byte(source.String()), 0o600))
	run(t, "go", "build", "-o", os.DevNull, file)
}

// migration is the document with a program.
const migration = "docs/migration.md"

// isFile reports whether a fragment is a file of its own.
func isFile(f fragment) bool { return strings.HasPrefix(f.code, "package main\n") }

// The files in the migration document are one program, which prints what its comment says.
func TestMigrationProgramRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args, want := []string{"run"}, ""
	for i, f := range goBlocks(read(t, migration)) {
		if !isFile(f) {
			continue
		}
		if _, output, found := strings.Cut(f.code, "\t// Output: "); found {
			want, _, _ = strings.Cut(output, "\n")
		}
		path := filepath.Join(dir, fmt.Sprintf("file%d.go", i))
		require.NoError(t, os.WriteFile(path, []byte(f.code+"\n"), 0o600))
		args = append(args, path)
	}
	require.NotEmpty(t, want)
	require.Equal(t, want+"\n", run(t, "go", args...))
}

// rightHandSides returns the code in the second column of the tables.
func rightHandSides(t *testing.T, text string) []fragment {
	var codes []fragment
	for i, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| ---") || strings.HasSuffix(line, "| go-zmq | |") {
			continue
		}
		cells := strings.Split(line, " |")
		require.Len(t, cells, 4, "a row of three cells: %s", line)
		code := strings.TrimPrefix(cells[1], " ")
		if code == "" {
			continue // there is no counterpart
		}
		require.Regexp(t, "^`[^`]+`$", code, line)
		codes = append(codes, fragment{i + 1, strings.Trim(code, "`")})
	}
	return codes
}

// use returns a statement that uses the variables that a fragment declares, because Go
// rejects unused variables.
func use(t *testing.T, fragment string) string {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+fragment+"\n}", 0)
	require.NoError(t, err, fragment)
	var names []string
	for _, statement := range file.Decls[0].(*ast.FuncDecl).Body.List {
		a, ok := statement.(*ast.AssignStmt)
		if !ok || a.Tok != token.DEFINE {
			continue
		}
		for _, left := range a.Lhs {
			names = append(names, "_ = "+left.(*ast.Ident).Name)
		}
	}
	return strings.Join(names, "\n")
}
