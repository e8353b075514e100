package report

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTested(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	doc := filepath.Join(dir, "README.md")
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("README.md", "before\n<!-- zbench:BEGIN tested tested.txt -->\n<!-- zbench:END tested -->\nafter\n")
	write("tested.txt", "# On a machine.\n# More.\nmake test | runs all tests | 7 passed, 0 failed\nmake faults | injects faults | 500 points\n")
	require.NoError(t, Document{Path: doc}.Update(Allowed{}))
	text, err := os.ReadFile(doc)
	require.NoError(t, err)
	require.Contains(t, string(text), "| `make test` | runs all tests | 7 passed, 0 failed |")
	require.Contains(t, string(text), "| `make faults` | injects faults | 500 points |")
	require.Contains(t, string(text), "On a machine.")
	require.NotContains(t, string(text), "More.")
	require.NoError(t, Document{Path: doc}.Check())

	write("tested.txt", "make test | runs all tests | 8 passed, 0 failed\n")
	require.ErrorIs(t, Document{Path: doc}.Check(), ErrStale)
	for _, bad := range []string{"", "# nothing\n", "make test: 8 passed\n"} {
		write("tested.txt", bad)
		require.Error(t, Document{Path: doc}.Check())
	}
	write("README.md", "<!-- zbench:BEGIN tested -->\n<!-- zbench:END tested -->\n")
	require.ErrorContains(t, Document{Path: doc}.Check(), "names no file")
}
