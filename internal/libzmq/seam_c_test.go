package libzmq_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A C file calls only functions of files below it: no two files call each other, directly
// or through others.
func TestCFilesCallWithoutCircles(t *testing.T) {
	for _, dir := range []string{".", "../../bench/cfloor"} {
		calls := callsAmongCFiles(t, dir)
		require.NotEmpty(t, calls)
		for file := range calls {
			require.Empty(t, circle(calls, file, nil), "the C files of %s call each other", dir)
		}
	}
}

// callsAmongCFiles returns for each C file the files whose functions it calls. Files that
// are never compiled together, such as guard_linux.c and guard_other.c, count as one.
func callsAmongCFiles(t *testing.T, dir string) map[string][]string {
	paths, err := filepath.Glob(filepath.Join(dir, "*.c"))
	require.NoError(t, err)
	name := func(path string) string { // guard_linux.c: guard
		first, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".c"), "_")
		return first
	}
	definition := regexp.MustCompile(`(?m)^[a-z][\w ]*[ *]((?:gz|cf)_\w+)\([^;]*?\) \{`)
	home, texts := map[string]string{}, map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		texts[name(path)] += string(text)
		for _, m := range definition.FindAllStringSubmatch(string(text), -1) {
			home[m[1]] = name(path)
		}
	}
	calls := map[string][]string{}
	for file, text := range texts {
		for _, use := range regexp.MustCompile(`\b(?:gz|cf)_\w+`).FindAllString(text, -1) {
			if to := home[use]; to != "" && to != file && !slices.Contains(calls[file], to) {
				calls[file] = append(calls[file], to)
			}
		}
	}
	return calls
}

// circle returns the way from a file back to itself, or nil.
func circle(calls map[string][]string, file string, way []string) []string {
	if len(way) > 0 && file == way[0] {
		return append(way, file)
	}
	if slices.Contains(way, file) {
		return nil
	}
	for _, to := range calls[file] {
		if c := circle(calls, to, append(slices.Clone(way), file)); c != nil {
			return c
		}
	}
	return nil
}
