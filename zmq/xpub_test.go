package zmq_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// libzmq shares the content of a message that an XSUB sends to several peers over inproc,
// and an XPUB reports what it copies out of such a message as shared, though its reference
// count is 0 (docs/upstream.md). These tests close, clone and send such messages.

// upstream returns an XSUB that is connected to two sockets of a type over inproc.
func upstream(t *testing.T, typ zmq.SocketType, settings ...zmq.Setting) (*zmq.Socket, [2]*zmq.Socket) {
	t.Helper()
	zctx := newContext(t, zmq.SocketDefaults(zmq.TrackSubscriptions.To(typ == zmq.Pub)))
	xsub := newSocket(t, zctx, zmq.XSub)
	var heads [2]*zmq.Socket
	for i := range heads {
		heads[i] = newSocket(t, zctx, typ, settings...)
		connect(t, heads[i], xsub, inprocName())
	}
	return xsub, heads
}

// A way to receive one message: its parts, which the caller closes.
type upstreamWay struct {
	name     string
	settings []zmq.Setting
	receive  func(t *testing.T, s *zmq.Socket) []*zmq.Message
}

var upstreamWays = []upstreamWay{
	{"RecvMessage", nil, recvEach},
	{"TrackSubscriptions", []zmq.Setting{zmq.TrackSubscriptions.To(true)}, recvEach},
	{"XPubManual", []zmq.Setting{zmq.XPubManual.To(true)}, recvEach},
	{"RecvMultipartMessage", nil, recvViews},
	{"RecvMultipartMessage and XPubManual", []zmq.Setting{zmq.XPubManual.To(true)}, recvViews},
	{"RecvBatch", nil, recvBatched},
	{"RecvBatch and XPubManual", []zmq.Setting{zmq.XPubManual.To(true)}, recvBatched},
	{"sent on", nil, recvSentOn},
	{"a proxy", nil, recvProxied},
}

func recvEach(t *testing.T, s *zmq.Socket) []*zmq.Message {
	t.Helper()
	var parts []*zmq.Message
	for more := true; more; {
		m := new(zmq.Message)
		require.NoError(t, s.RecvMessage(soon(t), m))
		parts, more = append(parts, m), m.More()
	}
	return parts
}

func recvViews(t *testing.T, s *zmq.Socket) []*zmq.Message {
	t.Helper()
	var views zmq.Multipart
	require.NoError(t, s.RecvMultipartMessage(soon(t), &views))
	return moved(t, views)
}

func recvBatched(t *testing.T, s *zmq.Socket) []*zmq.Message {
	t.Helper()
	b := newBatch(t, 3)
	require.Equal(t, 1, noErr(s.RecvBatch(soon(t), b))(t))
	return moved(t, b.At(0))
}

// recvSentOn sends what it has received to another socket, and receives it there.
func recvSentOn(t *testing.T, s *zmq.Socket) []*zmq.Message {
	t.Helper()
	push, pull := pair(t, zmq.Push, zmq.Pull, inprocName())
	var parts []*zmq.Message
	for _, m := range recvEach(t, s) {
		require.NoError(t, push.SendMessage(context.Background(), m))
		parts = append(parts, recvEach(t, pull)...)
	}
	return parts
}

// recvProxied has a proxy send the message and a copy of it: each receiver has a content that
// is its own.
func recvProxied(t *testing.T, s *zmq.Socket) []*zmq.Message {
	t.Helper()
	far, front := pair(t, zmq.XPub, zmq.XSub, inprocName())
	copies, capture := pair(t, zmq.Pull, zmq.Push, inprocName())
	p := startProxy(t, front, s, capture)
	requireOwned(t, recvEach(t, copies))
	parts := recvEach(t, far)
	require.NoError(t, p.Terminate())
	require.NoError(t, p.result(t))
	return parts
}

func moved(t *testing.T, views zmq.Multipart) []*zmq.Message {
	t.Helper()
	parts := make([]*zmq.Message, len(views))
	for i := range parts {
		parts[i] = new(zmq.Message)
		require.NoError(t, views[i].MoveTo(parts[i]))
	}
	return parts
}

// upstreamParts is more parts than a receive takes at once.
const upstreamParts = 6

func upstreamMessage() [][]byte {
	parts := make([][]byte, upstreamParts)
	for i := range parts {
		parts[i] = bytes.Repeat([]byte{'A' + byte(i)}, 3000)
	}
	return parts
}

// requireOwned fails when the content of parts belongs to the allocator after other
// references to it have gone.
func requireOwned(t *testing.T, parts []*zmq.Message) {
	t.Helper()
	want := upstreamMessage()
	require.Len(t, parts, len(want))
	for i, m := range parts {
		twin := noErr(m.Clone())(t)
		require.NoError(t, m.Close())
		other := noErr(zmq.NewMessageBytes(bytes.Repeat([]byte("z"), len(want[i]))))(t)
		require.Equal(t, string(want[i]), string(twin.Bytes()), "part %d", i)
		require.NoError(t, twin.Close())
		require.NoError(t, other.Close())
	}
}

// A clone of what an XPUB received keeps its content when the original is closed.
func TestXPubUpstreamClone(t *testing.T) {
	for _, way := range upstreamWays {
		t.Run(way.name, func(t *testing.T) {
			xsub, heads := upstream(t, zmq.XPub, way.settings...)
			for range 10 {
				require.NoError(t, xsub.SendMultipart(context.Background(), upstreamMessage()))
				for _, xpub := range heads {
					requireOwned(t, way.receive(t, xpub))
				}
			}
		})
	}
}

// The same when it is the sender that clones its message.
func TestXPubUpstreamClonedBefore(t *testing.T) {
	xpub, xsub := pair(t, zmq.XPub, zmq.XSub, inprocName(), zmq.TrackSubscriptions.To(true))
	for range 10 {
		for i, part := range upstreamMessage() {
			m := noErr(zmq.NewMessageBytes(part))(t)
			twin := noErr(m.Clone())(t)
			more := zmq.SendMore
			if i == upstreamParts-1 {
				more = 0
			}
			require.NoError(t, xsub.SendMessage(context.Background(), m, more))
			require.NoError(t, twin.Close())
		}
		requireOwned(t, recvEach(t, xpub))
	}
}

// What an XPUB has received is freed: by each way to receive, by a proxy, and by a PUB,
// which counts its subscriptions and drops everything else.
func TestXPubUpstreamMemory(t *testing.T) {
	const (
		size     = 200_000
		messages = 3000
		leaked   = 2 * size * messages // 1.2 GB; AddressSanitizer keeps 256 MB of what was freed
	)
	body := bytes.Repeat([]byte("u"), size)
	buf, m, subscribed := make([]byte, size), new(zmq.Message), 0
	recvMessage := func(t *testing.T, s *zmq.Socket) {
		require.NoError(t, s.RecvMessage(soon(t), m))
		require.Equal(t, size, m.Len())
	}
	for name, test := range map[string]struct {
		typ   zmq.SocketType
		drain func(t *testing.T, s *zmq.Socket)
	}{
		"Recv": {zmq.XPub, func(t *testing.T, s *zmq.Socket) {
			require.Equal(t, size, noErr(s.Recv(soon(t), buf))(t))
		}},
		"RecvMessage": {zmq.XPub, recvMessage},
		"Proxy":       {zmq.XPub, recvMessage},
		// A subscription that a PUB has counted was behind the message.
		"Pub": {zmq.Pub, func(t *testing.T, s *zmq.Socket) { require.NoError(t, s.WaitSubscribers(soon(t), subscribed)) }},
	} {
		t.Run(name, func(t *testing.T) {
			xsub, drained := upstream(t, test.typ)
			if name == "Proxy" {
				for i, xpub := range drained {
					pull, push := pair(t, zmq.Pull, zmq.Push, inprocName())
					startProxy(t, xpub, push, nil)
					drained[i] = pull
				}
			}
			before := resident(t)
			for range messages {
				require.NoError(t, xsub.Send(context.Background(), body))
				if test.typ == zmq.Pub {
					subscribed++
					require.NoError(t, xsub.Send(context.Background(), []byte{1, byte(subscribed), byte(subscribed >> 8)}))
				}
				for _, s := range drained {
					test.drain(t, s)
				}
			}
			require.NoError(t, m.Close())
			require.Less(t, resident(t)-before, int64(leaked/2))
		})
	}
}
