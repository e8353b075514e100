package zmq_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// A replier is a type of socket that waits in a send for the peer it sends to, and how it
// receives a message and answers it.
type replier struct {
	typ      zmq.SocketType
	settings []zmq.Setting
	peer     string // its type, as the peer's greeting has it
	receive  func(ctx context.Context, s *zmq.Socket) (message string, reply func([]byte) error, err error)
}

var repliers = []replier{
	{
		zmq.Router,
		[]zmq.Setting{zmq.RouterMandatory.To(true)},
		"DEALER",
		func(ctx context.Context, s *zmq.Socket) (string, func([]byte) error, error) {
			got, err := s.RecvMultipart(ctx)
			if err != nil {
				return "", nil, err
			}
			return string(got[1]), func(p []byte) error { return s.SendMultipart(ctx, [][]byte{got[0], p}) }, nil
		},
	},
	{zmq.Server, nil, "CLIENT", receiveFrom},
	{zmq.Peer, nil, "PEER", receiveFrom},
}

func receiveFrom(ctx context.Context, s *zmq.Socket) (string, func([]byte) error, error) {
	buf := make([]byte, 100)
	n, id, err := s.RecvFrom(ctx, buf)
	return string(buf[:n]), func(p []byte) error { return s.SendTo(ctx, id, p) }, err
}

// A socket that waits in a send, on the goroutine that also receives, waits no longer than
// its peer is there; what that has sent is received afterwards.
func TestSendToPeerThatGoes(t *testing.T) {
	t.Parallel()
	const requests = 50
	type arrive func(t *testing.T, zctx *zmq.Context, s *zmq.Socket, r replier) (leave func())
	peers := map[string]arrive{
		"tcp reset": func(t *testing.T, _ *zmq.Context, s *zmq.Socket, r replier) func() {
			conn := zmqtest.DialRaw(t, s)
			out := append(zmqtest.Greeting(0, "NULL", 0), zmqtest.Command("READY", zmqtest.Property("Socket-Type", r.peer)+zmqtest.Property("Identity", "p"))...)
			require.NoError(t, errOf(conn.Write(out)))
			zmqtest.AwaitCommand(conn, true)
			for i := range requests {
				require.NoError(t, errOf(conn.Write(zmqtest.Frame(0, fmt.Append(nil, i)))))
			}
			return func() { zmqtest.Reset(t, conn) }
		},
		"inproc": func(t *testing.T, zctx *zmq.Context, s *zmq.Socket, _ replier) func() {
			at := inprocName()
			require.NoError(t, s.Bind(at))
			peer := newSocket(t, zctx, zmq.Dealer, zmq.RecvHWM.To(2), zmq.RoutingID.To([]byte("p")))
			require.NoError(t, peer.Connect(at))
			for i := range requests {
				require.NoError(t, peer.Send(context.Background(), fmt.Append(nil, i)))
			}
			return func() { require.NoError(t, peer.Close()) }
		},
	}
	for _, r := range repliers {
		if !hasDrafts(t, r.typ) && r.typ >= zmq.Server {
			continue
		}
		for name, peer := range peers {
			if name == "inproc" && r.typ >= zmq.Server {
				continue // which they refuse
			}
			for _, tracked := range []bool{true, false} {
				t.Run(fmt.Sprintf("%v/%s/tracked=%t", r.typ, name, tracked), func(t *testing.T) {
					t.Parallel()
					ctx := timeout(t, 60*time.Second)
					zctx := newContext(t, zmq.TrackConnections.To(tracked))
					s := newSocket(t, zctx, r.typ, append(r.settings, zmq.SendHWM.To(2))...)
					leave := peer(t, zctx, s, r)
					received := 0
					sent, err := answerUntilStuck(t, s, leave, func() error {
						message, reply, err := r.receive(ctx, s)
						if err != nil {
							return err
						}
						if message != fmt.Sprint(received) {
							return fmt.Errorf("got %q as message %d", message, received)
						}
						received++
						return reply(make([]byte, 1<<20))
					})
					require.ErrorIs(t, err, zmq.ErrHostUnreachable)
					require.Positive(t, sent)
					require.Less(t, received, requests, "there is more to receive")
					for ; received < requests; received++ {
						message, _, err := r.receive(ctx, s)
						require.NoError(t, err)
						require.Equal(t, fmt.Sprint(received), message)
					}
					require.ErrorIs(t, errOf(s.RecvBytes(context.Background(), zmq.DontWait)), zmq.ErrAgain)
				})
			}
		}
	}
}

// The same of a STREAM, whose peer sends no messages but bytes.
func TestStreamSendToPeerThatGoes(t *testing.T) {
	t.Parallel()
	for _, tracked := range []bool{true, false} {
		t.Run(fmt.Sprintf("tracked=%t", tracked), func(t *testing.T) {
			t.Parallel()
			ctx := timeout(t, 60*time.Second)
			s := newSocket(t, newContext(t, zmq.TrackConnections.To(tracked)), zmq.Stream, zmq.SendHWM.To(2))
			conn := zmqtest.DialRaw(t, s)
			hello := noErr(s.RecvMultipart(ctx))(t)
			require.Empty(t, hello[1], "it is connected")
			sent := payload(100000)
			require.NoError(t, errOf(conn.Write(sent)))
			var received []byte
			_, err := answerUntilStuck(t, s, func() { zmqtest.Reset(t, conn) }, func() error {
				if len(received) == 0 {
					got, err := s.RecvMultipart(ctx)
					if err != nil {
						return err
					}
					received = append(received, got[1]...)
				}
				return s.SendMultipart(ctx, [][]byte{hello[0], make([]byte, 1<<20)})
			})
			require.ErrorIs(t, err, zmq.ErrHostUnreachable)
			for { // to the message that says that it has gone
				got := noErr(s.RecvMultipart(ctx))(t)
				require.Equal(t, hello[0], got[0])
				if len(got[1]) == 0 {
					break
				}
				received = append(received, got[1]...)
			}
			require.Equal(t, sent, received)
			require.ErrorIs(t, errOf(s.RecvBytes(context.Background(), zmq.DontWait)), zmq.ErrAgain)
		})
	}
}

// answerUntilStuck calls answer until it fails, and leave once it waits in a send for good.
func answerUntilStuck(t *testing.T, s *zmq.Socket, leave func(), answer func() error) (sent uint64, err error) {
	ended := make(chan error, 1)
	go func() {
		for {
			if err := answer(); err != nil {
				ended <- err
				return
			}
		}
	}()
	// The kernel takes the first replies, so a send that waits may go on: that none has
	// ended for a while is all that tells. Too short a while makes the test no stricter.
	for {
		time.Sleep(20 * time.Millisecond)
		now := s.Stats().MessagesSent
		if now > 0 && now == sent {
			break
		}
		sent = now
		select {
		case err := <-ended:
			require.NoError(t, err, "%+v", s.Stats())
		default:
		}
	}
	leave()
	return sent, <-ended
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
