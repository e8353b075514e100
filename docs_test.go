package gozmq_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func document(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func documents(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/ko/*.md"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		all = append(all, found...)
	}
	require.NotEmpty(t, all)
	return all
}

var tableBlock = regexp.MustCompile(`(?m)^<!-- (table|plot|figures) (\S+) (\S+) -->\n((?s:.*?))^<!-- end -->$`)

// Tables with the same name have the same results, and are the same.
func TestTablesAgree(t *testing.T) {
	t.Parallel()
	first := map[string]string{}
	for _, path := range documents(t) {
		for _, match := range tableBlock.FindAllStringSubmatch(document(t, path), -1) {
			kind, name, results := match[1], match[2], match[3]
			if kind != "table" {
				continue // figures have words around them
			}
			same := filepath.Base(results) + match[4]
			if before, ok := first[name]; ok {
				assert.Equal(t, before, same, "the table %s in %s", name, path)
			}
			first[name] = same
		}
	}
	require.Contains(t, first, "summary")
}

var (
	link    = regexp.MustCompile(`\]\(([^)#:\s]*)(?:#([^)\s]+))?\)`)
	heading = regexp.MustCompile(`(?m)^(#+) (.+)$`)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$")
)

// Links lead to files and headings that exist.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	for _, path := range documents(t) {
		for _, match := range link.FindAllStringSubmatch(document(t, path), -1) {
			target := path
			if match[1] != "" {
				target = filepath.Join(filepath.Dir(path), match[1])
			}
			if _, err := os.Stat(target); !assert.NoError(t, err, path) || match[2] == "" {
				continue
			}
			assert.Contains(t, anchors(document(t, target)), match[2], "%s links to %s", path, target)
		}
	}
}

// anchors returns GitHub's names of the headings of a text.
func anchors(text string) (names []string) {
	for _, match := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		name := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(match[2]), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}
