package gozmq_test

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// run returns what a command prints.
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

// body returns what is between a line of code and the first closing brace at the
// margin, or "".
func body(code, line string) string {
	_, rest, _ := strings.Cut(code, line+"\n")
	text, _, _ := strings.Cut(rest, "\n}")
	return text
}

// The README's code is that of Examples, is a program as it stands, and prints
// what the Example says.
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

// What the fragments in the documents may use without having made it.
const given = `c *zmq.Context, s *zmq.Socket, ctx context.Context, part, header, body, id, buf []byte, parts [][]byte,
	text, endpoint, key string, err error, handle func(zmq.Multipart), handlePart func([]byte),
	items [][]byte, frame []byte, frames chan []byte`

// Every fragment of Go in the documents compiles.
func TestSnippetsCompile(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	source.WriteString("package p\n\nimport (\n")
	packages := []string{"context.Context", "errors.As", "log.Print", "net.ErrClosed", "syscall.EAGAIN", "time.Second", "pool.New", "poller.New", "zmq.Flag"}
	for _, p := range packages {
		path, _, _ := strings.Cut(p, ".")
		if path == "zmq" || path == "pool" || path == "poller" {
			path = "github.com/go-zmq/go-zmq/" + path
		}
		fmt.Fprintf(&source, "%q\n", path)
	}
	source.WriteString(")\n\ntype _ context.Context\n\nvar _, _, _, _, _, _, _, _ = errors.As, log.Print, net.ErrClosed, syscall.EAGAIN, time.Second, pool.New, poller.New, zmq.SendMore\n")
	for path, fragments := range map[string][]fragment{
		"docs/guide.md":     goBlocks(read(t, "docs/guide.md")),
		"docs/migration.md": append(goBlocks(read(t, "docs/migration.md")), rightHandSides(t, read(t, "docs/migration.md"))...),
	} {
		require.NotEmpty(t, fragments, path)
		t.Logf("%s: %d fragments", path, len(fragments))
		for _, f := range fragments {
			// With the line directive the compiler names the document.
			fmt.Fprintf(&source, "\nfunc _(%s) {\n{\n//line %s:%d\n%s\n%s\n}\n}\n", given, path, f.line, f.code, use(t, f.code))
		}
	}
	file := filepath.Join(t.TempDir(), "snippets.go")
	require.NoError(t, os.WriteFile(file, []byte(source.String()), 0o600))
	run(t, "go", "build", "-o", os.DevNull, file)
}

// rightHandSides returns the code in the second column of the tables.
func rightHandSides(t *testing.T, text string) []fragment {
	var codes []fragment
	for i, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| ---") || strings.HasPrefix(line, "| pebbe") {
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

// use returns a statement that uses the variables that a fragment declares, since
// Go refuses unused ones.
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

// Tests that the documents name exist, and so do the files that they link to.
func TestDocumentsNameWhatExists(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "build" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, "_test.go") {
			for _, m := range function.FindAllStringSubmatch(read(t, path), -1) {
				tests[m[1]] = true
			}
		}
		return nil
	}))
	documents, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	for _, document := range append(documents, "README.md", "CHANGELOG.md", "CONTRIBUTING.md") {
		text := read(t, document)
		for _, name := range regexp.MustCompile("`(Test[A-Z][a-z]\\w*)`").FindAllStringSubmatch(text, -1) {
			require.True(t, tests[name[1]], "%s names the test %s, which does not exist", document, name[1])
		}
		for _, link := range regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`).FindAllStringSubmatch(text, -1) {
			require.FileExists(t, filepath.Join(filepath.Dir(document), link[1]), "linked from %s", document)
		}
	}
}
