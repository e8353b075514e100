package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// advice has figures of two files, and cells that have none.
const advice = `<!-- figures X/size=64/mode=plain/impl=go bench.txt -->
| you have | choose | 64 B | / C | round trip |
| --- | --- | ---: | ---: | ---: |
| many | ` + "`RecvBatch`" + ` | 0 <!-- mode=batch --> | <!-- mode=batch vs impl=c --> | |
| one |  | <!-- mode=plain ns --> | | 7 † <!-- waiting.txt:RoundTrip/size=64/impl=go p50 --> |
<!-- end -->
`

func figuresFolder(t *testing.T, doc string) (path string) {
	dir := folder(t, map[string]string{
		"doc.md": doc,
		"bench.txt": around("X/size=64/mode=plain/impl=go", 500) +
			around("X/size=64/mode=batch/impl=go", 400) + around("X/size=64/mode=batch/impl=c", 200) +
			runs("X/size=64/mode=wide/impl=go", 3, "100 ns/op") + runs("X/size=64/mode=wide/impl=go", 3, "300 ns/op"),
		"waiting.txt": runs("RoundTrip/size=64/impl=go", 6, "52000 p50-ns"),
	})
	return filepath.Join(dir, "doc.md")
}

func TestFiguresInCells(t *testing.T) {
	doc := figuresFolder(t, advice)
	fails(t, "doc.md differs", "-check", doc)
	succeeds(t, "-update", doc)
	succeeds(t, "-check", doc)
	contains(t, read(t, doc),
		"| many | `RecvBatch` | 2.50 M <!-- mode=batch --> | 2.00 <!-- mode=batch vs impl=c --> | |\n",
		"| one |  | 500 <!-- mode=plain ns --> | | 52.0 <!-- waiting.txt:RoundTrip/size=64/impl=go p50 --> |\n")
	put(t, doc, strings.ReplaceAll(read(t, doc), "| 2.50 M", "| 2.60 M"))
	fails(t, "2.60 M", "-check", doc)
}

// A figure whose interval is too wide has a mark.
func TestFiguresHaveMarks(t *testing.T) {
	doc := figuresFolder(t, strings.Replace(advice, "mode=plain ns", "mode=wide ns", 1))
	succeeds(t, "-update", doc)
	contains(t, read(t, doc), "| 200 † <!-- mode=wide ns --> |")
}
