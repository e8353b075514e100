package rivals

import (
	"context"
	"fmt"
	"os"
	"time"
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
