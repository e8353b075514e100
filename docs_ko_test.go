package gozmq_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The Korean documents, by the English ones.
var korean = map[string]string{
	"README.md": "README.ko.md", "BENCHMARKS.md": "docs/ko/benchmarks.md", "docs/guide.md": "docs/ko/guide.md",
}

// A section is what follows a heading, up to the next one.
type section struct {
	level  int
	line   int // of the heading
	text   string
	code   []string // the lines of its code blocks
	tables []string // the rows of its tables
}

// sections takes a document apart. A line of code is indented, or between two fences.
func sections(text string) (all []section) {
	fenced := false
	all = []section{{}}
	for i, line := range strings.Split(text, "\n") {
		last := &all[len(all)-1]
		switch {
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
			last.code = append(last.code, line)
		case fenced || strings.HasPrefix(line, "    "):
			last.code = append(last.code, line)
		case strings.HasPrefix(line, "#"):
			all = append(all, section{level: strings.Count(line, "#"), line: i + 1})
		case strings.HasPrefix(line, "|"):
			last.tables = append(last.tables, line)
			fallthrough
		default:
			last.text += line + "\n"
		}
	}
	return all
}

var (
	comment    = regexp.MustCompile(`<!--.*?-->`)
	target     = regexp.MustCompile(`\]\(([^)#\s]*)[^)\s]*\)`)
	toOther    = regexp.MustCompile(`(?m)^(English|\[English\]).*\n`)
	markerFile = regexp.MustCompile(`(?:\.\./)*bench/results/`)
)

// found returns what matches, each once and in order, since the order of words differs.
func found(expression *regexp.Regexp, text string) []string {
	all := expression.FindAllString(text, -1)
	slices.Sort(all)
	return slices.Compact(all)
}

// targets returns the names of the files that a text links to.
func targets(text string) (all []string) {
	for _, match := range target.FindAllStringSubmatch(text, -1) {
		all = append(all, strings.ToLower(filepath.Base(match[1])))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// The Korean documents have the headings, the code, the tables and the links of the English
// ones. Each links to the other.
func TestKoreanDocumentsAreInStep(t *testing.T) {
	t.Parallel()
	for english, translated := range korean {
		here, there := document(t, english), document(t, translated)
		assert.Contains(t, here, "\nEnglish | [한국어]("+relative(t, english, translated)+")\n")
		assert.Contains(t, there, "\n[English]("+relative(t, translated, english)+") | 한국어\n")
		en, ko := sections(toOther.ReplaceAllString(here, "")), sections(toOther.ReplaceAllString(there, ""))
		require.Len(t, ko, len(en), "headings of %s", translated)
		for i := range en {
			inStep(t, en[i], ko[i], translated)
		}
	}
}

func inStep(t *testing.T, en, ko section, translated string) {
	t.Helper()
	where := func(what string) string {
		return what + " below the heading of line " + strconv.Itoa(ko.line) + " of " + translated
	}
	assert.Equal(t, en.level, ko.level, where("the level"))
	assert.Equal(t, en.code, ko.code, where("code"))
	if assert.Len(t, ko.tables, len(en.tables), where("rows of tables")) {
		for i, row := range en.tables {
			assert.Equal(t, strings.Count(row, " | "), strings.Count(ko.tables[i], " | "), "%s: %s", where("cells"), ko.tables[i])
			assert.Equal(t, found(comment, row), found(comment, ko.tables[i]), where("markers in a table"))
		}
	}
	assert.Equal(t, targets(en.text), targets(ko.text), where("links"))
	blocks := func(s string) []string {
		return found(regexp.MustCompile(`(?m)^<!-- (table|plot|figures) .*-->$`), markerFile.ReplaceAllString(s, ""))
	}
	assert.Equal(t, blocks(en.text), blocks(ko.text), where("generated tables"))
}

func relative(t *testing.T, from, to string) string {
	t.Helper()
	path, err := filepath.Rel(filepath.Dir(from), to)
	require.NoError(t, err)
	return filepath.ToSlash(path)
}
