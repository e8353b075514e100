package libzmq_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// cgo checks a pointer argument on each call unless its type shows that it leads to no Go
// pointers. The calls of sends and receives take tens of nanoseconds: they pass no such
// argument.
func TestSendAndReceiveWithoutPointerChecks(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command")
	}
	dir := t.TempDir()
	files := []string{"socket.go", "message.go", "draft.go"}
	cgo := exec.Command("go", append([]string{"tool", "cgo", "-objdir", dir, "--", "-I", "."}, files...)...)
	out, err := cgo.CombinedOutput()
	require.NoError(t, err, "%s", out)

	function := regexp.MustCompile(`(?m)^func (?:\([^)]*\) )?(\w+)`)
	check := regexp.MustCompile(`_cgoCheckPointer\(`)
	var checked []string
	functions := 0
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(dir, file[:len(file)-len(".go")]+".cgo1.go"))
		require.NoError(t, err)
		starts := function.FindAllSubmatchIndex(text, -1)
		functions += len(starts)
		for i, at := range starts {
			end := len(text)
			if i+1 < len(starts) {
				end = starts[i+1][0]
			}
			if check.Match(text[at[1]:end]) {
				checked = append(checked, string(text[at[2]:at[3]]))
			}
		}
	}
	require.Greater(t, functions, 40)
	slices.Sort(checked)
	// The check is seen where there is one: these take contexts, which are not typed.
	require.Equal(t, []string{"GetContextText", "OpenSocket", "SetContextText"}, checked)
}
