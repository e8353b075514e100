//go:build linux

package account_test

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/account"
	"github.com/go-zmq/go-zmq/zmq"
)

// The ways here are those that a close ends: a poller leaves a closed socket out, and
// waits for the others.

// A PUSH that is closed at a random moment, while it is being used, has sent all that
// it has said to have sent, if it may linger and its peer is there.
func TestAccountClosedSenders(t *testing.T) {
	for _, transport := range []string{"tcp", "ipc", "inproc"} {
		for _, way := range []string{plain, batch, pooled, cancelled, cancelledBatch} {
			t.Run(transport+"/"+way, func(t *testing.T) {
				t.Parallel()
				closedSenders(t, way, transport)
			})
		}
	}
}

func closedSenders(t *testing.T, way, transport string) {
	const sockets = 40
	r := newRun(t, way, 1)
	r.left.Store(1 << 40)
	settings := settingsOf(way)
	switch {
	case transport == "ipc" && runtime.GOOS != "linux":
		// Otherwise libzmq loses what has not been read yet (docs/safety.md).
		settings = append(settings, zmq.RecvHWM.To(0))
	case transport != "inproc":
		settings = append(settings, zmq.RecvHWM.To(20)) // it is full when they close
	}
	pull := newSocket(t, r.c, zmq.Pull, settings...)
	endpoint := bind(t, pull, endpointOf(transport))
	var ledger account.Ledger
	r.consume(pull, &ledger, 0)
	sent := map[uint32]int{}
	for id := range uint32(sockets) {
		push := newSocket(t, r.c, zmq.Push, zmq.Linger.To(patience))
		require.NoError(t, push.Connect(endpoint))
		snd, err := newSender(r.ctx, push, way, r.pool)
		require.NoError(t, err)
		timer := time.AfterFunc(time.Duration(rand.IntN(3000))*time.Microsecond, func() { _ = push.Close() })
		p := account.Producer{ID: id}
		for err == nil {
			err = snd.send(p.Make())
		}
		timer.Stop()
		require.ErrorIs(t, err, zmq.ErrClosed)
		snd.close()
		require.NoError(t, push.Close())
		totals.fault(closings, 1)
		if n := int(push.Stats().MessagesSent); n > 0 {
			sent[id] = n
		}
	}
	total := uint64(0)
	for _, n := range sent {
		total += uint64(n)
	}
	require.Eventually(t, func() bool { return ledger.Report().Received >= total }, patience, time.Millisecond,
		"%d messages were sent", total)
	r.cancel(errAllThere)
	r.end(pull)
	settled(t, &ledger, sent)
}
