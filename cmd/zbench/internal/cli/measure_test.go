package cli

import (
	"bytes"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// A signal in the middle of a plan: the shell's exit code, the table of what is
// there, and records that are whole and say that they are not all. (Signals are the
// process's, so no other test may run.)
func TestSignalInAPlan(t *testing.T) {
	for sig, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		dir := filepath.Join(t.TempDir(), "results")
		var out, errs bytes.Buffer
		ended := make(chan int)
		go func() {
			ended <- Main([]string{"thr", "-s", "64", "-d", "200ms", "-w", "0s", "-r", "1000", "-o", dir}, &out, &errs)
		}()
		// Two runs are there: a third is under way, or is about to be.
		require.Eventually(t, func() bool {
			data, err := record.Load(nil, dir)
			return err == nil && len(data.Runs) >= 2
		}, time.Minute, 5*time.Millisecond)
		require.NoError(t, syscall.Kill(syscall.Getpid(), sig))
		require.Equal(t, code, <-ended)
		require.Contains(t, errs.String(), "stopped by signal: "+sig.String())
		require.Contains(t, out.String(), "Throughput")

		data, err := record.Load(nil, dir)
		require.NoError(t, err)
		require.True(t, data.Partial())
		require.Equal(t, []record.End{{Plan: data.Plans[0].ID, Exit: code}}, data.Ends)
		for i, r := range data.Runs {
			if !r.Valid() {
				require.Equal(t, "interrupted", r.Invalid)
				require.Equal(t, len(data.Runs)-1, i, "the one that was under way")
			}
		}
		require.FileExists(t, filepath.Join(dir, "bench.txt"))
	}
}
