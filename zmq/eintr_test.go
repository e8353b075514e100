//go:build unix

package zmq_test

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil"
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

	pull, push := pair(t, zmq.Pull, zmq.Push, "tcp://127.0.0.1:*", zmq.RecvTimeout.To(time.Minute))
	quiet := newSocket(t, newContext(t), zmq.Pull, zmq.RecvTimeout.To(50*time.Millisecond))
	require.NoError(t, quiet.Bind(inprocName()))

	end := time.Now().Add(duration)
	var group sync.WaitGroup
	group.Go(func() {
		buf := make([]byte, 8)
		for i := uint64(0); time.Now().Before(end); i++ {
			binary.LittleEndian.PutUint64(buf, i)
			if err := push.Send(context.Background(), buf); err != nil {
				t.Error("send", err)
				return
			}
			if _, err := pull.Recv(context.Background(), buf); err != nil {
				t.Error("recv", err)
				return
			}
			if got := binary.LittleEndian.Uint64(buf); got != i {
				t.Errorf("message %d instead of %d", got, i)
				return
			}
		}
	})
	const limit = 50 * time.Millisecond // quiet's
	var waits, ticks int
	group.Go(func() {
		for ; time.Now().Before(end); waits++ {
			start := time.Now()
			_, err := quiet.RecvBytes(context.Background())
			if waited := time.Since(start); !errors.Is(err, os.ErrDeadlineExceeded) || waited < limit {
				t.Errorf("a receive with a timeout of %v: %v after %v", limit, err, waited)
				return
			}
		}
	})
	group.Go(func() {
		for ; time.Now().Before(end); ticks++ {
			<-time.After(limit)
		}
	})
	group.Wait()
	signals := stop()
	t.Logf("%d signals in %v, %d waits, %d ticks", signals, duration, waits, ticks)
	require.Positive(t, signals)
	require.GreaterOrEqual(t, waits, ticks/10)
}

// libzmq loses its own first and last events if a signal interrupts the call that sends them.
// Events of its own threads still arrive, no call hangs, and every monitor ends.
func TestMonitorInSignalStorm(t *testing.T) {
	defer testutil.Interrupt(t, 20*time.Microsecond)()
	zctx := newContext(t)
	for range 300 {
		pull, push := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push)
		some := monitor(t, pull, zmq.EventHandshakeSucceeded|zmq.EventMonitorStopped)
		require.NoError(t, pull.Bind("tcp://127.0.0.1:*"))
		all := monitor(t, pull, zmq.EventAll) // libzmq is told anew
		require.NoError(t, push.Connect(last(t, pull)))
		require.NoError(t, pull.WaitConnected(soon(t), 1))
		require.NoError(t, pull.Close())
		require.NoError(t, push.Close())
		for _, m := range []*zmq.Monitor{some, all} {
			require.Equal(t, zmq.EventHandshakeSucceeded, until(t, m, zmq.EventHandshakeSucceeded).Event)
			until(t, m, zmq.EventMonitorStopped)
			require.ErrorIs(t, errOf(m.Next(soon(t))), zmq.ErrClosed)
		}
	}
}
