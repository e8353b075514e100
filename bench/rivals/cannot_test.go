package rivals

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// cellVariable is the environment variable that tells a process which cell to run.
const cellVariable = "GOZMQ_TEST_CELL"

// runCell runs a cell that Cannot excludes, and returns the exit status of the process.
func runCell(name string) int {
	for _, r := range Rivals() {
		for _, spec := range cells(r) {
			if spec.String() != name {
				continue
			}
			able := *r
			able.cannot = nil
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			if _, err := runTwice(ctx, &able, spec); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
			return 0
		}
	}
	fmt.Fprintln(os.Stderr, "no cell has the name", name)
	return 0 // the test expects another status, and fails
}

// A cell that Cannot excludes fails, or even ends the process. Otherwise it has to be
// measured.
func TestExcludedCellsFail(t *testing.T) {
	for _, r := range Rivals() {
		for _, spec := range cells(r) {
			if r.Cannot(spec) == "" {
				continue
			}
			t.Run(spec.String(), func(t *testing.T) {
				c := exec.Command(os.Args[0])
				c.Env = append(os.Environ(), cellVariable+"="+spec.String())
				output, err := c.CombinedOutput()
				var exit *exec.ExitError
				require.ErrorAs(t, err, &exit, "the cell succeeds: change Cannot\n%s", output)
				t.Logf("%v: %.300s", err, output)
			})
		}
	}
}
