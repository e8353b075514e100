package main_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/cli"
)

// The tool stays small: lines of Go without tests, packages, and flags of a verb.
func TestLimits(t *testing.T) {
	t.Parallel()
	lines, code, packages := 0, 0, map[string]bool{}
	require.NoError(t, filepath.WalkDir(".", func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		packages[filepath.Dir(path)] = true
		if strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		n := bytes.Count(text, []byte("\n"))
		require.LessOrEqual(t, n, 400, path)
		lines += n
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				code++
			}
		}
		return err
	}))
	require.LessOrEqual(t, code, mostCode, "without empty lines and comments")
	require.LessOrEqual(t, lines, mostLines)
	require.LessOrEqual(t, len(packages), 10)
	var intro bytes.Buffer
	require.Zero(t, cli.Main(nil, &intro, &intro))
	require.LessOrEqual(t, bytes.Count(intro.Bytes(), []byte("\n")), 22, "with the command and the next prompt 24")
	for _, verb := range []string{"quick", "thr", "lat", "curve", "churn", "send", "recv", "echo", "report", "compare", "env", "version"} {
		var help bytes.Buffer
		require.Zero(t, cli.Main([]string{verb, "-h"}, &help, &help))
		flags := 0
		for line := range strings.Lines(help.String()) {
			if words := strings.Fields(line); len(words) > 0 && strings.HasPrefix(line, "  ") && strings.Contains(line, "--") && strings.HasPrefix(words[0], "-") {
				flags++
			}
			require.LessOrEqual(t, len([]rune(line)), 80+len("\n"), line)
		}
		require.LessOrEqual(t, flags-1, 23, "%s, without --help:\n%s", verb, help.String())
	}
}

// How many lines the tool has at most: of code, and all.
const (
	mostCode  = 8400
	mostLines = 10300
)

// docs/zbench.md is short: the flags have a document of their own.
func TestDocuments(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "zbench.md"))
	require.NoError(t, err)
	require.LessOrEqual(t, bytes.Count(text, []byte("\n")), 200)
}
