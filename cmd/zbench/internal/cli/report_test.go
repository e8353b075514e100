package cli

import (
	"context"
	"io"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A signal ends a report that waits for its standard input.
func TestSignalEndsReport(t *testing.T) {
	t.Parallel()
	in, out := io.Pipe()
	defer out.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() {
		root := newRoot()
		root.SetIn(in)
		root.SetArgs([]string{"report", "-"})
		ended <- root.ExecuteContext(ctx)
	}()
	cancel(signalError{syscall.SIGINT})
	select {
	case err := <-ended:
		require.Equal(t, 130, exitCode(err))
	case <-time.After(time.Minute):
		t.Fatal("it still reads")
	}
}
