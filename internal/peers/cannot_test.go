package peers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// cellVariable names a cell to a process that runs nothing else.
const cellVariable = "GOZMQ_TEST_CELL"

// runCell runs a cell, though its rival is said not to, and returns what the process
// exits with.
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
	return 0 // so that the test fails
}

// What a rival is said not to run still fails: otherwise it is to be measured. That can
// end the process.
func TestWhatARivalCannotStillFails(t *testing.T) {
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
				require.ErrorAs(t, err, &exit, "it ran: Cannot is to allow it\n%s", output)
				t.Logf("%v: %.300s", err, output)
			})
		}
	}
}
