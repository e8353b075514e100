//go:build unix

package zmq_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/zmq"
)

// Go's runtime interrupts threads with SIGURG whenever it likes. A storm of them
// shows up nowhere: no EINTR, no lost message, no deadline that slips because a
// retry began it anew. How long a wait takes on a busy machine says nothing; so as many
// have to end as a timer of Go's own fires meanwhile, within a factor of ten.
func TestSignalsKeepMessagesAndDeadlines(t *testing.T) {
	duration := 4 * time.Second
	if testing.Short() {
		duration = time.Second
	}
	stop := testutil.Interrupt(t, 50*time.Microsecond)
	pull, push := pair(t, zmq.Pull, zmq.Push, tcp, zmq.RecvTimeout.To(time.Minute))
	const limit = 50 * time.Millisecond
	quiet := newSocket(t, newContext(t), zmq.Pull, zmq.RecvTimeout.To(limit))
	require.NoError(t, quiet.Bind(inprocName()))

	end := time.Now().Add(duration)
	during := func(f func(i int) error) <-chan error {
		return async(func() error {
			for i := 0; time.Now().Before(end); i++ {
				if err := f(i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	messages := during(func(i int) error {
		err := push.Send(context.Background(), number(i))
		got, failed := pull.RecvBytes(context.Background())
		if !bytes.Equal(got, number(i)) {
			failed = errors.Join(failed, fmt.Errorf("message %v instead of %d", got, i))
		}
		return errors.Join(err, failed)
	})
	var waits, ticks int
	waiting := during(func(int) error {
		waits++
		start := time.Now()
		err := errOf(quiet.RecvBytes(context.Background()))
		if waited := time.Since(start); !errors.Is(err, os.ErrDeadlineExceeded) || waited < limit {
			return fmt.Errorf("a receive with a timeout of %v: %w after %v", limit, err, waited)
		}
		return nil
	})
	ticking := during(func(int) error { ticks++; <-time.After(limit); return nil })
	for _, ended := range []<-chan error{messages, waiting, ticking} {
		require.NoError(t, <-ended)
	}
	signals := stop()
	t.Logf("%d signals in %v, %d waits, %d ticks", signals, duration, waits, ticks)
	require.Positive(t, signals)
	require.GreaterOrEqual(t, waits, ticks/10)
}
