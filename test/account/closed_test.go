//go:build linux

package account_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/account"
	"github.com/go-zmq/go-zmq/zmq"
)

// listeners are the kinds of endpoints at which others find a socket again.
var listeners = map[string]func(t *testing.T) (endpoint string){
	"tcp":         func(*testing.T) string { return endpointOf("tcp") },
	"ipc":         func(t *testing.T) string { return "ipc://" + filepath.Join(t.TempDir(), "socket") },
	generatedPath: func(*testing.T) string { return endpointOf("ipc") },
}

// generatedPath is a path that libzmq makes up, directory and all.
const generatedPath = "ipc generated"

// bindAgain binds where another socket was bound until a moment ago: libzmq ends a
// listener on a thread of its own.
func bindAgain(t *testing.T, s *zmq.Socket, endpoint string, generated bool) {
	t.Helper()
	if generated {
		// The old listener removes the file and its directory: not those of the new one.
		dir := filepath.Dir(strings.TrimPrefix(endpoint, "ipc://"))
		require.Eventually(t, func() bool { _, err := os.Stat(dir); return errors.Is(err, os.ErrNotExist) }, patience, time.Millisecond)
		require.ErrorIs(t, s.Bind(endpoint), syscall.ENOENT)
		require.NoError(t, os.Mkdir(dir, 0o700))
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
	}
	require.Eventually(t, func() bool { return s.Bind(endpoint) == nil }, patience, time.Millisecond)
}

// The ways here are those that a close ends: a poller leaves a closed socket out, and
// waits for the others.

// A PULL is closed at random moments, and another PULL is bound to its address while peers send to
// it. Messages that the old PULL held or that were under way are lost. The messages after them
// come without gaps. In another variant the socket unbinds and binds again, and only messages
// under way are lost.
func TestAccountRebound(t *testing.T) {
	for name, at := range listeners {
		for _, way := range []string{plain, batch, readAhead, pooled, cancelledBatch} {
			for end, next := range map[string]func(*rebinding){"closed": (*rebinding).replace, "unbound": (*rebinding).unbind} {
				t.Run(name+"/"+way+"/"+end, func(t *testing.T) {
					t.Parallel()
					b := &rebinding{run: newRun(t, way, 1), generated: name == generatedPath}
					b.pull = newSocket(t, b.c, zmq.Pull, settingsOf(way)...)
					b.endpoint = bind(t, b.pull, at(t))
					b.play(next)
				})
			}
		}
	}
}

// A rebinding is a PULL that comes and goes.
type rebinding struct {
	*run
	pull      *zmq.Socket
	endpoint  string
	generated bool
	ledger    account.Ledger
	round     int
	unordered bool // the order is not checked across connections
}

// reboundRounds is how often it does.
const reboundRounds = 12

func (b *rebinding) play(next func(*rebinding)) {
	const producers = 2
	var made [producers]account.Producer
	var stop atomic.Bool
	for i := range made {
		made[i].ID = uint32(i)
		push := newSocket(b.t, b.c, zmq.Push, reconnects()...)
		require.NoError(b.t, push.Connect(b.endpoint))
		b.start(func() error {
			snd, err := newSender(b.ctx, push, b.way, b.pool)
			defer snd.close()
			for err == nil && !stop.Load() {
				err = snd.send(made[i].Make())
			}
			return err
		})
	}
	for b.round = range reboundRounds {
		next(b)
		totals.fault(closings, 1)
	}
	stop.Store(true)
	b.cancel(errAllThere)
	b.end()
	report := b.ledger.Report()
	totals.book(&b.ledger, report.Skipped)
	require.NoError(b.t, report.Fault())
	require.Zero(b.t, report.Skipped, "a connection has holes")
	for i := range made {
		n, runs := b.ledger.Missing(made[i].ID, b.ledger.End(made[i].ID))
		if !b.unordered {
			require.LessOrEqual(b.t, runs, uint64(reboundRounds), "more holes than there were ends")
		}
		totals.explain(n, 0)
	}
}

// some receives some messages. Those that come over one connection have its number.
func (b *rebinding) some(connection int, enough func()) error {
	left := 1 + rand.IntN(2000)
	return receive(b.ctx, b.pull, b.way, nil, func(parts [][]byte, _ *zmq.Message) error {
		b.ledger.Take(connection, parts)
		if left--; left == 0 {
			if enough == nil {
				return errEnd
			}
			enough()
		}
		return nil
	})
}

// replace closes the PULL, every other time while it is being used, and makes another.
func (b *rebinding) replace() {
	// Each producer has one connection to each socket.
	if b.round%2 == 0 {
		require.ErrorIs(b.t, b.some(b.round, nil), errEnd)
	} else {
		require.ErrorIs(b.t, b.some(b.round, func() {
			time.AfterFunc(time.Duration(rand.IntN(3000))*time.Microsecond, func() { _ = b.pull.Close() })
		}), zmq.ErrClosed)
	}
	require.NoError(b.t, b.pull.Close())
	b.pull = newSocket(b.t, b.c, zmq.Pull, settingsOf(b.way)...)
	bindAgain(b.t, b.pull, b.endpoint, b.generated)
	b.generated = false // of a directory that was there, libzmq keeps its hands off
}

// unbind ends the connections to the PULL, and lets others come.
func (b *rebinding) unbind() {
	b.unordered = true
	require.ErrorIs(b.t, b.some(account.Unordered, nil), errEnd)
	require.NoError(b.t, b.pull.Unbind(b.endpoint))
	bindAgain(b.t, b.pull, b.endpoint, b.generated)
	b.generated = false // of a directory that was there, libzmq keeps its hands off
}

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
