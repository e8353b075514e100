package zmq_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// A connection that a STREAM closes by an empty part is not counted any more, though
// libzmq does not report its end.
func TestWaitConnectedStreamCloses(t *testing.T) {
	t.Parallel()
	closers := maps.Clone(sendWays)
	closers["Proxy"] = func(s *zmq.Socket, parts ...[]byte) error {
		pull, push := newSocket(t, s.Context(), zmq.Pull), newSocket(t, s.Context(), zmq.Push)
		connect(t, pull, push, inprocName())
		if err := push.SendMultipart(context.Background(), parts); err != nil {
			return err
		}
		p, err := zmq.NewSteerableProxy(pull, s, nil)
		if err != nil {
			return err
		}
		ran := async(func() error { return p.Run(context.Background()) })
		for end := time.Now().Add(patience); time.Now().Before(end); runtime.Gosched() {
			if st, err := p.Statistics(); err != nil || st.Backend.MessagesSent > 0 {
				break
			}
		}
		return errors.Join(p.Terminate(), <-ran, pull.Close(), push.Close())
	}
	for name, end := range closers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSocket(t, newContext(t), zmq.Stream)
			require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
			address := strings.TrimPrefix(last(t, s), "tcp://")
			dial := func() (net.Conn, []byte) {
				t.Helper()
				conn := noErr(net.Dial("tcp", address))(t)
				parts := recvParts(t, s)
				require.Empty(t, parts[1], "the connection")
				return conn, parts[0]
			}
			stays, _ := dial()
			defer stays.Close()
			require.NoError(t, s.WaitConnected(soon(t), 1))
			for range 20 {
				conn, id := dial()
				require.NoError(t, s.WaitConnected(soon(t), 2))
				require.NoError(t, end(s, id, nil))
				require.Equal(t, 1, s.Stats().Connections)
				never(t, s, 2)
				var err error
				for end := time.Now().Add(patience); !errors.Is(err, io.EOF); {
					require.True(t, time.Now().Before(end), "it is not closed: %v", err)
					require.NoError(t, s.WaitConnected(soon(t), 1)) // libzmq works on it in the socket's calls
					require.NoError(t, conn.SetReadDeadline(time.Now().Add(time.Millisecond)))
					_, err = conn.Read(make([]byte, 1))
				}
				require.NoError(t, conn.Close())
				require.Equal(t, 1, s.Stats().Connections)
			}
			require.NoError(t, stays.Close())
			gone(t, s)
		})
	}
}

// WaitWritable blocks while the queue is full, and returns when the peer has made room.
func TestWaitWritableWaitsForRoom(t *testing.T) {
	t.Parallel()
	pull, push := pair(t, zmq.Pull, zmq.Push, inprocName(), zmq.HWM(2))
	require.NoError(t, push.WaitWritable(soon(t)))
	sent := 0
	for ; ; sent++ {
		if err := push.SendString(soon(t), "full", zmq.DontWait); err != nil {
			require.ErrorIs(t, err, zmq.ErrAgain)
			break
		}
	}
	ended := make(chan error)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { ended <- push.WaitWritable(ctx) }()
	awaitParked(t, push, 1)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)

	go func() { ended <- push.WaitWritable(soon(t)) }()
	awaitParked(t, push, 1)
	for range sent {
		recvBytes(t, pull)
	}
	require.NoError(t, <-ended)
	require.NoError(t, push.SendString(soon(t), "room", zmq.DontWait))
}

// A wait that cannot end is refused, and one that may not take long ends with ErrAgain.
func TestWaitWritableRefusals(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	pull, push := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push, zmq.SendTimeout.To(time.Millisecond))
	require.ErrorIs(t, pull.WaitWritable(soon(t)), zmq.ErrNotSupported)
	require.ErrorIs(t, push.WaitReadable(soon(t)), zmq.ErrNotSupported)
	err := push.WaitWritable(soon(t))
	require.ErrorIs(t, err, zmq.ErrAgain)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.NoError(t, newSocket(t, zctx, zmq.Router).WaitWritable(soon(t)), "libzmq always reports a ROUTER as writable")
	waiting := newSocket(t, zctx, zmq.Push)
	ended := async(func() error { return waiting.WaitWritable(context.Background()) })
	awaitParked(t, waiting, 1)
	require.NoError(t, waiting.Close())
	require.ErrorIs(t, <-ended, zmq.ErrClosed)
}

// A receive on a REQ or REP makes it writable without a signal from libzmq. Goroutines that
// wait for that are woken at once and not by the watchdog.
func TestWaitWritableAfterReceiveInTurn(t *testing.T) {
	t.Parallel()
	rep, req := pair(t, zmq.Rep, zmq.Req, "tcp://127.0.0.1:*")
	ended := make(chan error)
	waits := func(s *zmq.Socket) {
		t.Helper()
		go func() { ended <- s.WaitWritable(soon(t)) }()
		awaitParked(t, s, 1)
	}
	for range 10 {
		require.NoError(t, req.SendString(soon(t), "question"))
		waits(req)
		require.NoError(t, rep.WaitReadable(soon(t)))
		waits(rep)
		recvString(t, rep)
		require.NoError(t, <-ended)
		require.NoError(t, rep.SendString(soon(t), "answer"))
		// The watcher may have taken the signal of the answer already.
		require.NoError(t, req.WaitReadable(soon(t)))
		recvString(t, req)
		require.NoError(t, <-ended)
	}
}
