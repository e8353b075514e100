package examples_test

import (
	"bytes"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// programs returns the directories that have a main.go.
func programs(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*/main.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	dirs := make([]string, len(files))
	for i, file := range files {
		dirs[i] = filepath.Dir(file)
	}
	return dirs
}

// Each program returns and prints the text of the comment "Output:" in its main function.
func TestPrograms(t *testing.T) {
	t.Parallel()
	dirs := programs(t)
	bin := t.TempDir()
	// Without symbols for debuggers, linking takes half the time.
	build := append([]string{"build", "-ldflags=-s -w", "-o", bin + string(filepath.Separator)}, flagsOfThisTest(t)...)
	for _, dir := range dirs {
		build = append(build, "./"+dir)
	}
	printed, err := exec.Command("go", build...).CombinedOutput()
	require.NoError(t, err, "%s", printed)

	for _, dir := range dirs {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			want := wanted(t, filepath.Join(dir, "main.go"))
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			var printed, faults bytes.Buffer
			program := exec.CommandContext(ctx, filepath.Join(bin, dir))
			program.Stdout, program.Stderr = &printed, &faults
			// The race detector waits a second at the end of each process.
			program.Env = append(os.Environ(), "GOZMQ_DEBUG=leaks", "GORACE=atexit_sleep_ms=0")
			began := time.Now()
			err := program.Run()
			require.NoError(t, err, "after %v it had printed:\n%s\n%s", time.Since(began), &printed, &faults)
			require.Equal(t, want, strings.TrimSpace(printed.String()))
			require.NotContains(t, faults.String(), "without Close")
			t.Logf("took %v", time.Since(began).Round(time.Millisecond))
		})
	}
}

// flagsOfThisTest returns the flags of go test that also apply to the programs.
func flagsOfThisTest(t *testing.T) (flags []string) {
	t.Helper()
	info, ok := debug.ReadBuildInfo()
	require.True(t, ok)
	for _, setting := range info.Settings {
		switch setting.Key {
		case "-race", "-asan", "-tags":
			flags = append(flags, setting.Key+"="+setting.Value)
		}
	}
	return flags
}

// wanted returns the text of the comment "Output:" in the function main.
func wanted(t *testing.T, path string) string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	require.NoError(t, err)
	require.NotNil(t, file.Doc, "%s has no package comment", path)
	require.Contains(t, file.Doc.Text(), "go run ./"+filepath.Dir(path), "the comment of %s does not say how to run it", path)
	for _, declared := range file.Decls {
		main, ok := declared.(*ast.FuncDecl)
		if !ok || main.Name.Name != "main" {
			continue
		}
		for _, c := range file.Comments {
			if output, ok := strings.CutPrefix(c.Text(), "Output:\n"); ok && c.Pos() > main.Body.Pos() && c.End() < main.Body.End() {
				return strings.TrimSpace(output)
			}
		}
	}
	t.Fatalf("%s has no comment \"Output:\" in main", path)
	return ""
}

// A file has one page.
func TestFilesAreShort(t *testing.T) {
	t.Parallel()
	require.NoError(t, filepath.WalkDir(".", func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		require.LessOrEqual(t, bytes.Count(text, []byte("\n")), 150, path)
		return err
	}))
}

// The table in the README has every program, once.
func TestReadmeListsPrograms(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	listed := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| \[(\w+)\]\((\w+)/main\.go\) \| .+ \|$`).FindAllStringSubmatch(string(text), -1) {
		require.Equal(t, row[1], row[2])
		require.False(t, listed[row[1]], "%s is listed twice", row[1])
		listed[row[1]] = true
	}
	for _, dir := range programs(t) {
		require.True(t, listed[dir], "%s is not in the table of README.md", dir)
		delete(listed, dir)
	}
	require.Empty(t, listed, "README.md lists programs that do not exist")
}
