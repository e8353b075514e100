package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folder returns a folder with the recorded results and other files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"rivals.txt", "rivals.env"} {
		put(t, filepath.Join(dir, name), read(t, filepath.Join("testdata", name)))
	}
	for name, text := range files {
		put(t, filepath.Join(dir, name), text)
	}
	return dir
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in:\n%s", part, text)
		}
	}
}

// fails runs the command and expects an error that contains the part.
func fails(t *testing.T, part string, args ...string) {
	t.Helper()
	err := run(args, &bytes.Buffer{})
	if err == nil {
		t.Fatalf("%v did not fail", args)
	}
	contains(t, err.Error(), part)
}

func succeeds(t *testing.T, args ...string) {
	t.Helper()
	if err := run(args, &bytes.Buffer{}); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
}

const document = `# Title

<!-- table summary rivals.txt -->
<!-- end -->

Text stays.

<!-- plot summary rivals.txt -->
<!-- end -->

<!-- table environment rivals.env -->
<!-- end -->
`

func updated(t *testing.T) (dir, doc string) {
	t.Helper()
	dir = folder(t, map[string]string{"doc.md": document})
	doc = filepath.Join(dir, "doc.md")
	fails(t, "doc.md differs from its results", "-check", doc)
	succeeds(t, "-update", doc)
	succeeds(t, "-check", doc)
	return dir, doc
}

func TestUpdateWritesTables(t *testing.T) {
	dir, doc := updated(t)
	text := read(t, doc)
	if want := read(t, "testdata/want.md"); text != want {
		t.Errorf("have:\n%s\nwant:\n%s", text, want)
	}
	succeeds(t, "-update", doc)
	if again := read(t, doc); again != text {
		t.Errorf("the second update changed the document:\n%s", again)
	}
	contains(t, read(t, filepath.Join(dir, "bench", "plots", "summary.svg")), ">go-zeromq/zmq4, Recv</text>", `class="bar ours"`)
}

func TestCheckNoticesChangedFigures(t *testing.T) {
	for _, test := range []struct{ name, file, old, changed, said string }{
		{"in the table", "doc.md", "| 2.10 M |", "| 2.11 M |", "2.11 M"},
		{"in the results", "rivals.txt", "2403898 msg/s", "1403898 msg/s", "doc.md differs"},
		{"in the environment", "rivals.env", "cores: 2", "cores: 4", "cores"},
		{"in the plot", "bench/plots/summary.svg", "2.10 M", "2.11 M", "summary.svg differs"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir, doc := updated(t)
			path := filepath.Join(dir, test.file)
			before := read(t, path)
			contains(t, before, test.old)
			put(t, path, strings.ReplaceAll(before, test.old, test.changed))
			fails(t, test.said, "-check", doc)
		})
	}
	t.Run("missing plot", func(t *testing.T) {
		dir, doc := updated(t)
		if err := os.RemoveAll(filepath.Join(dir, "bench")); err != nil {
			t.Fatal(err)
		}
		fails(t, "summary.svg", "-check", doc)
	})
}

func TestBadDocuments(t *testing.T) {
	for name, test := range map[string]struct{ doc, said string }{
		"no table":       {"text\n", "each table needs a line"},
		"no end":         {"<!-- table summary rivals.txt -->\ntext\n" + document, "each table needs a line"},
		"last has none":  {document + "<!-- table summary rivals.txt -->\n", "each table needs a line"},
		"no results":     {"<!-- table summary -->\n<!-- end -->\n", "each table needs a line"},
		"unknown table":  {"<!-- table weather rivals.txt -->\n<!-- end -->\n", "no table with this name"},
		"unknown file":   {"<!-- table summary other.txt -->\n<!-- end -->\n", "other.txt: no such file"},
		"empty file":     {"<!-- table summary empty.txt -->\n<!-- end -->\n", "no results for this table"},
		"other results":  {"<!-- table curve rivals.txt -->\n<!-- end -->\n", "no results for this table"},
		"bad results":    {"<!-- table summary bad.txt -->\n<!-- end -->\n", "bad.txt:1"},
		"two machines":   {"<!-- table summary two.txt -->\n<!-- end -->\n", "two.txt has runs of two machines: A and B"},
		"bad list":       {"<!-- table tested rivals.env -->\n<!-- end -->\n", "needs 3 parts"},
		"plot of a list": {"<!-- plot tested rivals.env -->\n<!-- end -->\n", "no table with this name"},
		"no plot":        {"<!-- plot rivals rivals.txt -->\n<!-- end -->\n", "no column to plot"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, map[string]string{"doc.md": test.doc, "empty.txt": "PASS\n", "bad.txt": "BenchmarkX 1 fast ns/op\n", "two.txt": "cpu: A\nBenchmarkX 1 1 ns/op\ncpu: B\nBenchmarkX 1 1 ns/op\n"})
			fails(t, test.said, "-check", filepath.Join(dir, "doc.md"))
			fails(t, test.said, "-update", filepath.Join(dir, "doc.md"))
			if text := read(t, filepath.Join(dir, "doc.md")); text != test.doc {
				t.Errorf("the failed update changed the document:\n%s", text)
			}
		})
	}
}

func TestAllTablesOfAFolder(t *testing.T) {
	dir := folder(t, map[string]string{
		"waiting.txt": runs("Latency/pattern=reqrep/transport=tcp/size=64/impl=go", 6, "100 p50-ns"),
		"waiting.env": "cores: 2\n",
	})
	out := filepath.Join(dir, "TABLES.md")
	succeeds(t, "-o", out, dir)
	succeeds(t, "-check", out)
	text := read(t, out)
	contains(t, text, "\n## rivals\n", "| cores | 2 |", "### Go's ZeroMQ bindings over tcp, PUSH to PULL\n", "### Other bindings\n", "\n## waiting\n", "| reqrep | tcp | 64 | go-zmq | 0.10 ± 0% |")
	if strings.Contains(text, "CURVE") {
		t.Error("a table without results is there")
	}
}

// runs returns lines of a benchmark that differ only in the number of iterations.
func runs(name string, n int, figures string) string {
	return strings.Repeat(fmt.Sprintf("Benchmark%s-2 1 %s\n", name, figures), n)
}
