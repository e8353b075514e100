package zmq_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zap"
)

// hostileLimit is for what comes within milliseconds; a fuzzer allows ten seconds in all.
const hostileLimit = 8 * time.Second

// A scene is a context in which hostile peers connect to servers of each mechanism.
type scene struct {
	c    *zmq.Context
	keys zmq.CurveKeys
}

const (
	sceneUser     = "ada"
	scenePassword = "open sesame"
	maxSceneParts = 2000
)

func newScene(tb testing.TB) *scene {
	zctx := newContext(tb)
	auth, err := zap.Start(zctx, zap.Policy{
		Plain:   func(_, user, password string) bool { return user == sceneUser && password == scenePassword },
		Curve:   func(string, string) bool { return true },
		Timeout: hostileLimit,
	})
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, auth.Close()) })
	keys, err := zmq.NewCurveKeys()
	require.NoError(tb, err)
	return &scene{zctx, keys}
}

// mechanisms are by the number that a target's input has.
var sceneMechanisms = []string{"NULL", "PLAIN", "CURVE"}

// settings are those of a server of a mechanism, and of its clients.
func (s *scene) settings(mechanism string) (server, client []zmq.Setting) {
	switch mechanism {
	case "PLAIN":
		return []zmq.Setting{zmq.AsPlainServer("d")}, []zmq.Setting{zmq.AsPlainClient(sceneUser, scenePassword)}
	case "CURVE":
		return []zmq.Setting{zmq.AsCurveServer(s.keys.Secret, zmq.Authenticated("d"))}, []zmq.Setting{zmq.AsCurveClient(s.keys.Public)}
	}
	return nil, nil
}

// sceneTypes are the servers, with the peers that talk to them. STREAM's are not ZMTP.
var sceneTypes = []struct{ server, peer zmq.SocketType }{
	{zmq.Router, zmq.Dealer},
	{zmq.Pull, zmq.Push},
	{zmq.Sub, zmq.Pub},
	{zmq.XPub, zmq.Sub},
	{zmq.Rep, zmq.Req},
	{zmq.Stream, zmq.Stream},
	{zmq.Dealer, zmq.Router},
	{zmq.Pub, zmq.Sub},
	{zmq.XSub, zmq.Pub},
	{zmq.Pair, zmq.Pair},
}

// A victim is a bound socket with a hostile peer.
type victim struct {
	t        *testing.T
	scene    *scene
	s        *zmq.Socket
	peer     zmq.SocketType
	client   []zmq.Setting
	endpoint string
	ctx      context.Context
}

func (s *scene) victim(ctx context.Context, t *testing.T, mechanism string, typ uint8) *victim {
	types := sceneTypes[int(typ)%len(sceneTypes)]
	server, client := s.settings(mechanism)
	if types.server == zmq.Stream {
		server = nil
	}
	v := &victim{t: t, scene: s, peer: types.peer, client: client, ctx: ctx}
	v.s = newSocket(t, s.c, types.server, server...)
	require.NoError(t, v.s.Bind("tcp://127.0.0.1:*"))
	v.endpoint = last(t, v.s)
	return v
}

func (v *victim) dial() *net.TCPConn {
	conn, err := net.Dial("tcp", strings.TrimPrefix(v.endpoint, "tcp://"))
	require.NoError(v.t, err)
	return conn.(*net.TCPConn)
}

// close ends a socket of a victim's; messages that are still under way have time.
func closeNow(t *testing.T, s *zmq.Socket) { require.NoError(t, s.Close()) }

// serves makes sure that an honest peer that comes now is served.
func (v *victim) serves() {
	if v.s.Type() == zmq.Stream {
		v.servesStream()
		return
	}
	p := newSocket(v.t, v.scene.c, v.peer, v.client...)
	if v.peer == zmq.Req {
		require.NoError(v.t, p.Set(zmq.ReqRelaxed.To(true), zmq.ReqCorrelate.To(true)))
	}
	defer closeNow(v.t, p)
	word := "honest " + inprocName()
	switch v.s.Type() {
	case zmq.Sub:
		require.NoError(v.t, v.s.Subscribe("honest"))
	case zmq.XSub:
		require.NoError(v.t, v.s.SendString(context.Background(), "\x01honest"))
	case zmq.Pair:
		// It has one peer, which may be the hostile one, and refuses later ones. So the test only
		// requires that calls work.
		v.drain()
		_, err := v.s.LastEndpoint()
		require.NoError(v.t, err)
		return
	}
	require.NoError(v.t, p.Connect(v.endpoint))
	switch v.s.Type() {
	case zmq.XPub, zmq.Pub:
		require.NoError(v.t, p.Subscribe(word))
		v.publishUntil(p, word)
	case zmq.Sub, zmq.XSub:
		// A bound SUB subscribes at its peers within its calls.
		for !v.receives(word) {
			require.NoError(v.t, p.Send(v.ctx, []byte(word)))
		}
	case zmq.Dealer:
		// It sends to its peers in turn, the hostile one among them.
		v.until(v.fromRouter(p, word))
	case zmq.Rep:
		// After malformed requests of a peer that has left, libzmq's REP drops the next reply
		// (docs/safety.md). The request has to be repeated.
		for !v.replies(p, word) {
			v.drain()
		}
	default:
		require.NoError(v.t, p.Send(v.ctx, []byte(word)))
		got := v.until(word)
		if v.s.Type() == zmq.Pull {
			return
		}
		got[len(got)-1] = []byte("answer")
		require.NoError(v.t, v.s.SendMultipart(v.ctx, got))
		answer, err := p.RecvString(v.ctx)
		require.NoError(v.t, err)
		require.Equal(v.t, "answer", answer)
	}
}

// fromRouter has a ROUTER send the word to the victim, a DEALER, as soon as it knows it.
func (v *victim) fromRouter(p *zmq.Socket, word string) string {
	for {
		require.NoError(v.t, v.s.Send(v.ctx, []byte("who is there")))
		ctx, cancel := context.WithTimeout(v.ctx, 5*time.Millisecond)
		got, err := p.RecvMultipart(ctx)
		cancel()
		if err == nil {
			require.NoError(v.t, p.SendMultipart(v.ctx, [][]byte{got[0], []byte(word)}))
			return word
		}
		require.NoError(v.t, v.ctx.Err())
	}
}

// publishUntil publishes the word until the subscriber has it: its subscription is behind
// those of the hostile peer.
func (v *victim) publishUntil(p *zmq.Socket, word string) {
	for {
		if v.s.Type() == zmq.XPub {
			v.drain()
		}
		require.NoError(v.t, v.s.Send(v.ctx, []byte(word)))
		ctx, cancel := context.WithTimeout(v.ctx, 2*time.Millisecond)
		got, err := p.RecvString(ctx)
		cancel()
		if err == nil {
			require.Equal(v.t, word, got)
			return
		}
		require.NoError(v.t, v.ctx.Err())
	}
}

// until receives what is there, and answers what can be answered, until a message ends
// in the word. It returns that message.
func (v *victim) until(word string) [][]byte {
	for {
		got, err := v.s.RecvMultipart(v.ctx)
		require.NoError(v.t, err)
		if string(got[len(got)-1]) == word {
			return got
		}
		v.answer(got)
	}
}

// replies reports whether a REQ's request is answered soon.
func (v *victim) replies(p *zmq.Socket, word string) bool {
	require.NoError(v.t, p.Send(v.ctx, []byte(word)))
	got := v.until(word)
	require.NoError(v.t, v.s.SendMultipart(v.ctx, [][]byte{append(got[0], '!')}))
	ctx, cancel := context.WithTimeout(v.ctx, 20*time.Millisecond)
	defer cancel()
	answer, err := p.RecvString(ctx)
	if err == nil {
		require.Equal(v.t, word+"!", answer)
		return true
	}
	require.NoError(v.t, v.ctx.Err())
	return false
}

// receives looks for the word for a moment.
func (v *victim) receives(word string) bool {
	ctx, cancel := context.WithTimeout(v.ctx, 2*time.Millisecond)
	defer cancel()
	for {
		got, err := v.s.RecvString(ctx)
		if err != nil {
			require.NoError(v.t, v.ctx.Err())
			require.ErrorIs(v.t, err, context.DeadlineExceeded)
			return false
		}
		if got == word {
			return true
		}
	}
}

// answer sends a hostile peer's message back to it.
func (v *victim) answer(got [][]byte) {
	if v.s.Type() == zmq.Stream && len(got[len(got)-1]) == 0 {
		return // it would end the connection
	}
	switch v.s.Type() {
	case zmq.Router, zmq.Rep, zmq.Stream:
		if err := v.s.SendMultipart(context.Background(), got, zmq.DontWait); err != nil {
			require.IsType(v.t, (*zmq.Error)(nil), err)
		}
	}
}

func (v *victim) drain() {
	for range maxSceneParts {
		got, err := v.s.RecvMultipart(context.Background(), zmq.DontWait)
		if err != nil {
			require.IsType(v.t, (*zmq.Error)(nil), err)
			return
		}
		v.answer(got)
	}
}

func (v *victim) servesStream() {
	conn := v.dial()
	defer conn.Close()
	require.NoError(v.t, conn.SetDeadline(time.Now().Add(hostileLimit)))
	word := "honest " + inprocName()
	_, err := conn.Write([]byte(word))
	require.NoError(v.t, err)
	got := v.until(word)
	require.Len(v.t, got, 2)
	require.NoError(v.t, v.s.SendMultipart(v.ctx, got))
	echo := make([]byte, len(word))
	_, err = io.ReadFull(conn, echo)
	require.NoError(v.t, err)
	require.Equal(v.t, word, string(echo))
}

// A peer that announces a part of any length, and does not send it, takes no memory, and
// others are served. One that announces more than is allowed is cut off.
func TestAnnouncedLengths(t *testing.T) {
	for _, limit := range []int64{-1, 1 << 20} {
		for _, length := range []uint64{1<<20 + 1, 128 << 20, 1 << 62, 1<<64 - 1} {
			t.Run(fmt.Sprintf("MaxMessageSize=%d/announced=%d", limit, length), func(t *testing.T) {
				cut := limit >= 0 || length >= 1<<62 // so much, libzmq cannot have
				announced(t, limit, length, cut)
			})
		}
	}
}

func announced(t *testing.T, limit int64, length uint64, cut bool) {
	v := newScene(t).victim(soon(t), t, "NULL", 1)
	require.NoError(t, v.s.Unbind(v.endpoint)) // bound listeners keep the old limit
	require.NoError(t, v.s.Set(zmq.MaxMessageSize.To(limit)))
	require.NoError(t, v.s.Bind(tcp))
	v.endpoint = last(t, v.s)
	m := monitor(t, v.s, zmq.EventHandshakeSucceeded)
	before := resident(t)
	var conns [4]*net.TCPConn
	for i := range conns {
		conns[i] = v.dial()
		defer conns[i].Close()
		noErr(conns[i].Write(append(zmqtest.Greeting(1, "NULL", 0), zmqtest.Command("READY", zmqtest.Property("Socket-Type", "PUSH"))...)))(t)
		until(t, m, zmq.EventHandshakeSucceeded)
		noErr(conns[i].Write(append(binary.BigEndian.AppendUint64([]byte{2}, length), "a beginning"...)))(t)
	}
	stays := func(limit time.Duration) {
		for _, conn := range conns {
			require.NoError(t, conn.SetReadDeadline(time.Now().Add(limit)))
			require.Equal(t, !cut, os.IsTimeout(errOf(io.Copy(io.Discard, conn))))
		}
	}
	if cut {
		stays(patience)
	}
	v.serves()
	require.Less(t, resident(t)-before, int64(256<<20))
	if !cut {
		stays(10 * time.Millisecond)
	}
	require.NoError(t, m.Close())
	closeNow(t, v.s)
}
