package zmq_test

import (
	"context"
	"math"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// No joiner is slow: with a fresh pair each time, the first message that is published
// arrives.
func TestFirstMessageArrives(t *testing.T) {
	t.Parallel()
	rounds := 300
	if testing.Short() {
		rounds = 30
	}
	for _, typ := range []zmq.SocketType{zmq.Pub, zmq.XPub} {
		t.Run(typ.String(), func(t *testing.T) {
			transports(t, func(t *testing.T, endpoint string) {
				zctx := trackingContext(t)
				for i := range rounds {
					pub, sub := newSocket(t, zctx, typ), newSocket(t, zctx, zmq.Sub)
					require.NoError(t, sub.Subscribe("topic"))
					if i%2 == 0 {
						connect(t, pub, sub, endpoint)
					} else {
						connect(t, sub, pub, endpoint)
						// A socket that was bound notices its peers in its next call.
						require.NoError(t, sub.WaitConnected(soon(t), 1))
					}
					require.NoError(t, pub.WaitSubscribers(soon(t), 1))
					require.NoError(t, pub.SendString(context.Background(), "topic "+strconv.Itoa(i)))
					require.Equal(t, "topic "+strconv.Itoa(i), recvString(t, sub))
					require.NoError(t, pub.Close())
					require.NoError(t, sub.Close())
				}
			})
		})
	}
}

func tooFew(t *testing.T, s *zmq.Socket, n int) {
	t.Helper()
	ctx := timeout(t, 2*time.Millisecond)
	require.ErrorIs(t, s.WaitSubscribers(ctx, n), context.DeadlineExceeded)
}

// Every subscription counts, also the second to a topic, and none that has ended.
func TestWaitSubscribersCounts(t *testing.T) {
	t.Parallel()
	for _, typ := range []zmq.SocketType{zmq.Pub, zmq.XPub} {
		t.Run(typ.String(), func(t *testing.T) {
			transports(t, func(t *testing.T, endpoint string) {
				zctx := trackingContext(t)
				pub := newSocket(t, zctx, typ)
				require.NoError(t, pub.WaitSubscribers(soon(t), 0))
				tooFew(t, pub, 1)
				require.NoError(t, pub.Bind(endpoint))
				tooFew(t, pub, 1)
				const peers = 10
				var subs []*zmq.Socket
				for i := range peers {
					sub := newSocket(t, zctx, zmq.Sub, zmq.Subscribe.To(""))
					require.NoError(t, sub.Connect(last(t, pub)))
					require.NoError(t, sub.Subscribe("mine "+strconv.Itoa(i)))
					subs = append(subs, sub)
				}
				require.NoError(t, pub.WaitSubscribers(soon(t), 2*peers))
				tooFew(t, pub, 2*peers+1)
				require.NoError(t, pub.SendString(context.Background(), "all"))
				for _, sub := range subs {
					require.Equal(t, "all", recvString(t, sub))
					require.NoError(t, sub.Close())
				}
				gone(t, pub)
				for deadline := time.Now().Add(patience); ; runtime.Gosched() {
					ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
					err := pub.WaitSubscribers(ctx, 1)
					cancel()
					if err != nil {
						break
					}
					require.True(t, time.Now().Before(deadline), "the subscriptions do not end")
				}
			})
		})
	}
}

// A tracking XPUB receives every subscription and its end. XPubVerbose and XPubVerboser end
// the tracking, and the socket then receives what libzmq reports.
func TestTrackingXPubReceives(t *testing.T) {
	t.Parallel()
	recv := func(t *testing.T, s *zmq.Socket) string {
		text := recvString(t, s)
		return text
	}
	nothing := func(t *testing.T, s *zmq.Socket) {
		require.ErrorIs(t, errOf(s.RecvBytes(context.Background(), zmq.DontWait)), zmq.ErrAgain)
	}
	for name, test := range map[string]struct {
		settings []zmq.Setting
		reports  int // of three subscriptions to one topic
		ends     int // of the first two of them
	}{
		"tracking":    {nil, 3, 2},
		"verbose":     {[]zmq.Setting{zmq.XPubVerbose.To(true)}, 3, 0},
		"verboser":    {[]zmq.Setting{zmq.XPubVerboser.To(true)}, 3, 2},
		"not verbose": {[]zmq.Setting{zmq.XPubVerbose.To(true), zmq.XPubVerbose.To(false)}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			zctx := trackingContext(t)
			pub := newSocket(t, zctx, zmq.XPub, append(test.settings, zmq.TrackSubscriptions.To(true))...)
			require.NoError(t, pub.Bind("tcp://127.0.0.1:*"))
			var subs []*zmq.Socket
			for range 3 {
				sub := newSocket(t, zctx, zmq.Sub, zmq.Subscribe.To("topic"))
				require.NoError(t, sub.Connect(last(t, pub)))
				subs = append(subs, sub)
			}
			other := newSocket(t, zctx, zmq.Sub)
			require.NoError(t, other.Connect(last(t, pub)))
			if len(test.settings) == 0 {
				require.NoError(t, pub.WaitSubscribers(soon(t), 3))
			}
			for range test.reports {
				require.Equal(t, "\x01topic", recv(t, pub))
			}
			require.NoError(t, pub.WaitConnected(soon(t), 4))
			require.NoError(t, other.Subscribe("other"))
			require.Equal(t, "\x01other", recv(t, pub))
			nothing(t, pub)
			for _, sub := range subs[:2] {
				require.NoError(t, sub.Unsubscribe("topic"))
				if test.ends > 0 {
					require.Equal(t, "\x00topic", recv(t, pub))
				}
			}
			require.NoError(t, subs[2].Unsubscribe("topic"))
			require.Equal(t, "\x00topic", recv(t, pub))
			require.NoError(t, subs[0].Subscribe("topic"))
			require.Equal(t, "\x01topic", recv(t, pub))
			nothing(t, pub)
		})
	}
}

// One goroutine receives from the XPUB, or waits for that, while others count.
func TestWaitSubscribersBesideRecv(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		zctx := trackingContext(t)
		pub := newSocket(t, zctx, zmq.XPub)
		require.NoError(t, pub.Bind(endpoint))
		const peers, topics = 20, 5
		ctx := soon(t)
		got := make(chan string, peers)
		var receiving [2]<-chan error
		for i := range receiving {
			receiving[i] = async(func() error {
				return repeat(math.MaxInt, func(int) error {
					text, err := pub.RecvString(ctx)
					if err == nil {
						got <- text
					}
					return err
				})
			})
		}
		var waiting [peers]<-chan error
		for n := range waiting {
			waiting[n] = async(func() error { return pub.WaitSubscribers(ctx, n+1) })
		}
		for i := range peers {
			sub := newSocket(t, zctx, zmq.Sub)
			require.NoError(t, sub.Connect(last(t, pub)))
			require.NoError(t, sub.Subscribe("topic "+strconv.Itoa(i%topics)))
		}
		seen := map[string]int{}
		for i := range peers {
			require.NoError(t, <-waiting[i])
			select {
			case text := <-got:
				seen[text]++
			case <-ctx.Done():
				require.Fail(t, "a subscription is not reported", "%v", seen)
			}
		}
		require.Len(t, seen, topics)
		require.NoError(t, pub.Close())
		for _, ended := range receiving {
			require.ErrorIs(t, <-ended, zmq.ErrClosed)
		}
		require.Empty(t, got)
	})
}

// For its user, a PUB is a PUB.
func TestPubIsAPub(t *testing.T) {
	t.Parallel()
	zctx := trackingContext(t)
	pub, sub := newSocket(t, zctx, zmq.Pub, zmq.TrackSubscriptions.To(true)), newSocket(t, zctx, zmq.XSub)
	connect(t, pub, sub, "tcp://127.0.0.1:*")
	require.Equal(t, zmq.Pub, pub.Type())
	require.Equal(t, int(zmq.Pub), zmqtest.Get(t, zmq.OptionByNumber[int](16), pub))
	require.NoError(t, sub.SendString(context.Background(), "\x01topic"))
	require.NoError(t, sub.SendString(context.Background(), "neither"))
	require.NoError(t, pub.WaitSubscribers(soon(t), 1))
	require.ErrorIs(t, errOf(pub.RecvBytes(context.Background())), zmq.ErrNotSupported)
	require.ErrorIs(t, errOf(pub.RecvMultipart(context.Background(), zmq.DontWait)), zmq.ErrNotSupported)
	require.Equal(t, 2, zmqtest.Get(t, zmq.OptionByNumber[int](15), pub), "only room to send")
	require.ErrorIs(t, pub.WaitReadable(soon(t)), zmq.ErrNotSupported)
	b := newBatch(t, 1)
	require.ErrorIs(t, errOf(pub.RecvBatch(context.Background(), b, zmq.DontWait)), zmq.ErrNotSupported)
}

func TestWaitSubscribersRefuses(t *testing.T) {
	t.Parallel()
	zctx := trackingContext(t)
	for _, typ := range []zmq.SocketType{zmq.Sub, zmq.XSub, zmq.Push, zmq.Router, zmq.Stream} {
		require.ErrorIs(t, newSocket(t, zctx, typ).WaitSubscribers(soon(t), 1), zmq.ErrNotSupported)
	}
	manual := newSocket(t, zctx, zmq.XPub, zmq.TrackSubscriptions.To(true), zmq.XPubManual.To(true))
	require.ErrorIs(t, manual.WaitSubscribers(soon(t), 1), zmq.ErrNotSupported)
	require.ErrorIs(t, (*zmq.Socket)(nil).WaitSubscribers(soon(t), 1), zmq.ErrClosed)
}

// TrackSubscriptions decides which socket libzmq creates, so only NewSocket and
// SocketDefaults take it. Without it a PUB is a PUB, and WaitSubscribers says what to do.
func TestTrackSubscriptionsOnlyAtCreation(t *testing.T) {
	t.Parallel()
	for _, typ := range []zmq.SocketType{zmq.Pub, zmq.XPub} {
		zctx := newContext(t)
		plain := newSocket(t, zctx, typ)
		tracks := zmqtest.Get(t, zmq.TrackSubscriptions, plain)
		require.False(t, tracks)
		requireFails(t, plain.WaitSubscribers(soon(t), 1), zmq.ErrNotSupported, "TrackSubscriptions.To(true)")
		for _, v := range []bool{true, false} {
			require.ErrorIs(t, plain.Set(zmq.TrackSubscriptions.To(v)), syscall.EINVAL)
		}
		require.NoError(t, zctx.Set(zmq.SocketDefaults(zmq.TrackSubscriptions.To(true))))
		tracking, override := newSocket(t, zctx, typ), newSocket(t, zctx, typ, zmq.TrackSubscriptions.To(false))
		tracks = zmqtest.Get(t, zmq.TrackSubscriptions, tracking)
		require.True(t, tracks)
		tracks = zmqtest.Get(t, zmq.TrackSubscriptions, override)
		require.False(t, tracks)
		require.ErrorIs(t, errOf(zctx.NewSocket(zmq.Push, zmq.TrackSubscriptions.To(true))), syscall.EINVAL)
		newSocket(t, zctx, zmq.Push) // the default does not concern it
	}

	// What a subscriber sees of the publisher's type.
	for track, want := range map[bool]string{false: "PUB", true: "XPUB"} {
		zctx := newContext(t)
		pub, sub := newSocket(t, zctx, zmq.Pub, zmq.TrackSubscriptions.To(track)), newSocket(t, zctx, zmq.Sub, zmq.Subscribe.To(""))
		connect(t, sub, pub, "tcp://127.0.0.1:*")
		var m zmq.Message
		for ctx := soon(t); ; { // a PUB without it cannot tell when the subscription has arrived
			require.NoError(t, pub.SendString(ctx, "x"))
			if err := sub.RecvMessage(ctx, &m, zmq.DontWait); err == nil {
				break
			}
			require.NoError(t, ctx.Err())
		}
		require.Equal(t, want, noErr(m.Property("Socket-Type"))(t))
		require.NoError(t, m.Close())
	}
}
