package zmq_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// Subscribers that repeat what they subscribed to without a pause, of which an XPUB's user
// is not told, hold up no receive longer than the caller wants to wait.
func TestReceiveWhileSubscriptionsKeepComing(t *testing.T) {
	t.Parallel()
	xpub := newSocket(t, newContext(t), zmq.XPub)
	flood(t, xpub, "\x01a")
	require.Equal(t, "\x01a", recvString(t, xpub))
	ended := async(func() error {
		return repeat(4, func(int) error {
			if err := errOf(xpub.RecvBytes(context.Background(), zmq.DontWait)); !errors.Is(err, zmq.ErrAgain) {
				return errors.Join(err, errors.New("DontWait"))
			}
			if err := errOf(xpub.RecvBytes(timeout(t, time.Millisecond))); !errors.Is(err, context.DeadlineExceeded) {
				return errors.Join(err, errors.New("context"))
			}
			return nil
		})
	})
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(30 * time.Second):
		require.Fail(t, "a receive lasts as long as the subscriptions come")
	}
	// Messages for the user still arrive.
	late := newSocket(t, newContext(t), zmq.Sub, zmq.Subscribe.To("b"))
	require.NoError(t, late.Connect(last(t, xpub)))
	require.Equal(t, "\x01b", recvString(t, xpub))
}

// A STREAM takes a routing id and bytes: libzmq would lose other messages, and those after
// them.
func TestStreamTakesTwoParts(t *testing.T) {
	t.Parallel()
	s := newSocket(t, newContext(t), zmq.Stream)
	conn := zmqtest.DialRaw(t, s)
	hello := recvParts(t, s)
	id := hello[0]
	m := newMessage(t, "x")
	b := newBatch(t, 2)
	require.NoError(t, b.Append([]byte("x")))
	for name, send := range map[string]func() error{
		"one part":  func() error { return s.SendString(context.Background(), "x") },
		"a message": func() error { return s.SendMessage(context.Background(), m) },
		"three":     func() error { return s.SendMultipart(context.Background(), [][]byte{id, []byte("a"), []byte("b")}) },
		"collected": func() error {
			err := errors.Join(s.Send(context.Background(), id, zmq.SendMore), s.Send(context.Background(), id, zmq.SendMore), s.SendString(context.Background(), "b"))
			require.Equal(t, 2, s.DiscardParts())
			return err
		},
		"in a batch": func() error { _, err := s.SendBatch(context.Background(), b); return err },
	} {
		err := send()
		require.ErrorIs(t, err, syscall.EINVAL, name)
		require.ErrorContains(t, err, "two parts", name)
	}
	require.NoError(t, m.Close())
	require.NoError(t, s.SendMultipart(context.Background(), [][]byte{id, []byte("first ")}))
	require.NoError(t, s.Send(context.Background(), id, zmq.SendMore))
	require.NoError(t, s.SendString(context.Background(), "second"))
	require.NoError(t, conn.(*net.TCPConn).SetReadDeadline(time.Now().Add(30*time.Second)))
	var got strings.Builder
	buf := make([]byte, 100)
	for got.Len() < len("first second") {
		n := noErr(conn.Read(buf))(t)
		got.Write(buf[:n])
	}
	require.Equal(t, "first second", got.String())
}

// libzmq masks the messages of a WebSocket client in place. Lent memory is not changed.
func TestLentMemoryOverWebSockets(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	pull, push := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push)
	err := pull.Bind("ws://127.0.0.1:*")
	if !zmq.Has("WS") {
		require.ErrorIs(t, err, zmq.ErrNotSupported)
		return
	}
	require.NoError(t, err)
	at := last(t, pull)
	require.NoError(t, push.Connect(at))
	text := strings.Repeat("abcdefgh", 1000)
	p := []byte(text)
	for range 3 {
		released := make(chan struct{})
		m := noErr(zmq.NewMessageZeroCopy(p, func() { close(released) }))(t)
		require.NoError(t, push.SendMessage(within(t), m))
		require.Equal(t, text, recvString(t, pull))
		<-released
		require.Equal(t, text, string(p), "it is as it was")
	}
}
