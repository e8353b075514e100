package zmq_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// heldAfter returns how many messages the receiver of a pair holds at most while it
// receives many.
func heldAfter(t *testing.T, from, to *zmq.Socket, messages int, prefix []byte, size int) (most int) {
	t.Helper()
	body := append(bytes.Clone(prefix), make([]byte, size)...)
	for range messages {
		require.NoError(t, from.Send(soon(t), body))
	}
	for range messages {
		recvParts(t, to)
		most = max(most, to.Stats().ReadAhead)
	}
	return most
}

// It is left alone where the program would see a difference.
func TestReadAheadLeftAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		from, to zmq.SocketType
		set      []zmq.Setting
		before   func(t *testing.T, s *zmq.Socket)
		size     int
		reads    bool
	}{
		{name: "plain", from: zmq.Push, to: zmq.Pull, reads: true},
		{name: "router", from: zmq.Dealer, to: zmq.Router, reads: true},
		{name: "dealer", from: zmq.Dealer, to: zmq.Dealer, reads: true},
		{name: "pair", from: zmq.Pair, to: zmq.Pair, reads: true},
		{name: "xsub", from: zmq.XPub, to: zmq.XSub, set: []zmq.Setting{zmq.RecvHWM.To(0)}, before: func(t *testing.T, s *zmq.Socket) {
			require.NoError(t, s.Send(context.Background(), []byte{1}))
		}, reads: true},
		{name: "large", from: zmq.Push, to: zmq.Pull, size: 5000, reads: false},
		{name: "low mark", from: zmq.Push, to: zmq.Pull, set: []zmq.Setting{zmq.RecvHWM.To(639)}},
		{name: "least mark", from: zmq.Push, to: zmq.Pull, set: []zmq.Setting{zmq.RecvHWM.To(640)}, reads: true},
		{name: "FD", from: zmq.Push, to: zmq.Pull, before: func(t *testing.T, s *zmq.Socket) {
			zmqtest.Get(t, zmq.FD, s)
		}},
		{name: "Unsubscribe", from: zmq.Pub, to: zmq.Sub, before: func(t *testing.T, s *zmq.Socket) {
			require.NoError(t, s.Subscribe(""))
			require.NoError(t, s.Subscribe("a"))
			require.NoError(t, s.Unsubscribe("a"))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			from, to := pair(t, c.from, c.to, inprocName(), c.set...)
			if c.before != nil {
				c.before(t, to)
			}
			if c.from == zmq.Pub || c.from == zmq.XPub {
				settle(t, from, to)
			}
			held := heldAfter(t, from, to, 300, nil, c.size)
			if c.size > 0 {
				// The first receive has shown that the messages are large.
				held = heldAfter(t, from, to, 300, nil, c.size)
			}
			if c.reads {
				require.Positive(t, held)
			} else {
				require.Zero(t, held)
			}
		})
	}
}

// settle waits until a subscription has reached its publisher over inproc.
func settle(t *testing.T, from, to *zmq.Socket) {
	t.Helper()
	for {
		require.NoError(t, from.Send(soon(t), []byte("a, are you there")))
		if _, err := to.RecvBytes(soon(t), zmq.DontWait); err == nil {
			break
		}
	}
	for {
		if _, err := to.RecvBytes(soon(t), zmq.DontWait); err != nil {
			return
		}
	}
}

// Unsubscribe applies to messages that were read ahead as it does to those in libzmq's
// queue: a message that no subscription matches any more is not delivered.
func TestReadAheadUnsubscribe(t *testing.T) {
	t.Parallel()
	send := func(t *testing.T, s *zmq.Socket, topics ...string) {
		t.Helper()
		for _, topic := range topics {
			require.NoError(t, s.SendMultipart(soon(t), [][]byte{[]byte(topic), []byte("body of " + topic)}))
		}
	}
	receive := func(t *testing.T, s *zmq.Socket) (topics []string) {
		t.Helper()
		for {
			parts, err := s.RecvMultipart(soon(t), zmq.DontWait)
			if err != nil {
				require.ErrorIs(t, err, zmq.ErrAgain)
				return topics
			}
			require.Len(t, parts, 2)
			require.Equal(t, "body of "+string(parts[0]), string(parts[1]))
			topics = append(topics, string(parts[0]))
		}
	}
	for _, ahead := range []int{0, 20, -1} {
		for name, c := range map[string]struct {
			subscribe   []string
			unsubscribe string
			settings    []zmq.Setting
			want        []string
		}{
			"one of two":  {[]string{"a", "b"}, "a", nil, []string{"b1", "b2"}},
			"of another":  {[]string{"a", "ab", "b"}, "a", nil, []string{"b1", "ab", "b2"}},
			"twice":       {[]string{"a", "a", "b"}, "a", nil, []string{"b1", "a2", "ab", "b2", "a3"}},
			"all":         {[]string{"", "b"}, "", nil, []string{"b1", "b2"}},
			"inverted":    {[]string{"a", "x"}, "a", []zmq.Setting{zmq.InvertMatching.To(true)}, []string{"b1", "b2"}},
			"of the only": {[]string{"a"}, "a", nil, nil},
		} {
			t.Run(fmt.Sprintf("%s, ReadAhead %d", name, ahead), func(t *testing.T) {
				t.Parallel()
				pub, sub := pair(t, zmq.Pub, zmq.Sub, inprocName(), c.settings...)
				require.NoError(t, sub.Set(zmq.ReadAhead.To(ahead)))
				for _, topic := range c.subscribe {
					require.NoError(t, sub.Subscribe(topic))
				}
				// First messages that all of these subscriptions, or none, let pass.
				first := "ab"
				if len(c.settings) > 0 {
					first = "b"
				}
				for got := []string(nil); len(got) == 0; got = receive(t, sub) {
					send(t, pub, first)
				}
				const before = 5
				for range before {
					send(t, pub, first)
				}
				send(t, pub, "b1", "a2", "ab", "b2", "a3")
				for range before {
					parts := recvParts(t, sub)
					require.Equal(t, first, string(parts[0]))
				}
				if ahead != 0 && len(c.settings) == 0 {
					require.Positive(t, sub.Stats().ReadAhead)
				}
				require.NoError(t, sub.Unsubscribe(c.unsubscribe))
				require.Equal(t, c.want, receive(t, sub))
			})
		}
	}
}

// The parts of a message that is being received one by one stay together, though its topic
// was unsubscribed.
func TestReadAheadUnsubscribeBetweenParts(t *testing.T) {
	t.Parallel()
	pub, sub := pair(t, zmq.Pub, zmq.Sub, inprocName())
	require.NoError(t, sub.Set(zmq.ReadAhead.To(10)))
	require.NoError(t, sub.Subscribe("a"))
	require.NoError(t, sub.Subscribe("b"))
	settle(t, pub, sub)
	for _, topic := range []string{"a1", "a2", "b1"} {
		require.NoError(t, pub.SendMultipart(soon(t), [][]byte{[]byte(topic), []byte("middle"), []byte("end")}))
	}
	require.Equal(t, "a1", recvString(t, sub))
	require.NoError(t, sub.Unsubscribe("a"))
	for _, want := range []string{"middle", "end", "b1", "middle", "end"} {
		require.True(t, want == "b1" || sub.RecvMore())
		require.Equal(t, want, recvString(t, sub))
	}
	require.ErrorIs(t, errOf(sub.RecvBytes(soon(t), zmq.DontWait)), zmq.ErrAgain)
}
