package replay_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/replay"
)

func TestFromNow(t *testing.T) {
	t.Parallel()
	f := newFeed(t, replay.SubscriberConfig{})
	f.publish(7, 8, 9)
	f.expect(live(0, 7, 8, 9)...)
	require.Empty(t, f.asked())
	require.Equal(t, replay.SubscriberStats{Delivered: 3}, f.sub.Stats())
}

func TestFromOldest(t *testing.T) {
	t.Parallel()
	f := newFeed(t, replay.SubscriberConfig{From: replay.FromOldest})
	f.keeps(3, 5)
	f.publish(6)
	f.expect(again(0, 3, 4, 5)...)
	f.expect(live(0, 6)...)
}

// Before there is anything to begin with, the oldest message is still the first one.
func TestFromOldestBeforeTheFirst(t *testing.T) {
	t.Parallel()
	f := newFeed(t, replay.SubscriberConfig{From: replay.FromOldest})
	require.Eventually(t, func() bool { return len(f.asked()) > 0 }, 20*time.Second, time.Millisecond)
	f.keeps(0, 2)
	f.publish(2)
	f.expect(again(0, 0, 1)...)
}

func TestFromSeq(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		start, first, last uint64
		want               []string
	}{
		"kept":                     {4, 0, 5, again(0, 4, 5)},
		"oldest":                   {4, 4, 5, again(0, 4, 5)},
		"lost":                     {4, 6, 7, append([]string{"lost 4 to 5"}, again(0, 6, 7)...)},
		"zero":                     {0, 6, 7, append([]string{"lost 0 to 5"}, again(0, 6, 7)...)},
		"next":                     {6, 0, 5, nil},
		"newer than the publisher": {100, 0, 5, append([]string{"restart"}, again(0, 0, 1, 2, 3, 4, 5)...)},
		"huge":                     {math.MaxUint64 - 1, 4, 5, append([]string{"restart", "lost 0 to 3"}, again(0, 4, 5)...)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			zctx := newContext(t)
			f := &feed{t: t, zctx: zctx, ctx: context.Background(), first: c.first, last: c.last}
			f.open("tcp://127.0.0.1:*", "tcp://127.0.0.1:*")
			t.Cleanup(func() { f.stop() })
			s := subscribe(t, zctx, f.endpoints, replay.SubscriberConfig{Topic: topic, From: replay.FromSeq(c.start)})
			require.NoError(t, f.pub.WaitSubscribers(t.Context(), 1))
			f.publish(c.last + 1)
			var got []string
			for m, err := range s.Messages(t.Context()) {
				if step := describe(m, err); !errors.As(err, new(*replay.RestartError)) {
					got = append(got, step)
				} else {
					got = append(got, "restart") // an answer or the live message shows it
				}
				if m.Seq == c.last+1 {
					break
				}
			}
			require.Equal(t, append(c.want, live(0, c.last+1)...), got)
		})
	}
}

// What comes live during a replay waits for its turn.
func TestGapIsFilled(t *testing.T) {
	t.Parallel()
	f := newFeed(t, replay.SubscriberConfig{})
	f.keeps(0, 5)
	f.publish(0, 1, 5, 6)
	f.expect(live(0, 0, 1)...)
	f.expect(again(0, 2, 3, 4)...)
	f.expect(live(0, 5, 6)...)
	f.keeps(0, 10)
	f.publish(9, 10, 11)
	f.expect(again(0, 7, 8)...)
	f.expect(live(0, 9, 10, 11)...)
	require.EqualValues(t, 5, f.sub.Stats().Replayed)
	require.EqualValues(t, 1, f.asked()[0], "begins with a message that is known")
}

// An older layout has no topic in answers and end marks.
func TestOlderLayoutOfAnswers(t *testing.T) {
	t.Parallel()
	f := newFeed(t, replay.SubscriberConfig{From: replay.FromOldest})
	f.set(func() { f.older = true })
	f.keeps(3, 5)
	f.publish(10)
	f.expect(again(0, 3, 4, 5)...)
	f.expect("lost 6 to 9")
	f.expect(live(0, 10)...)
}

// What the publisher does not have is reported once, before the messages that follow.
func TestLostForGood(t *testing.T) {
	t.Parallel()
	f := newFeed(t, replay.SubscriberConfig{})
	f.keeps(5, 12)
	f.publish(0, 10)
	f.expect(live(0, 0)...)
	f.expect("lost 1 to 4")
	f.expect(again(0, 5, 6, 7, 8, 9)...)
	f.expect(live(0, 10)...)
	f.expect(again(0, 11, 12)...)
	f.publish(13)
	f.expect(live(0, 13)...)
	require.EqualValues(t, 4, f.sub.Stats().Lost)
}

// A publisher that keeps nothing loses whatever is missed.
func TestPublisherWithoutMemory(t *testing.T) {
	t.Parallel()
	f := newFeed(t, replay.SubscriberConfig{})
	f.publish(0, 10, 11, 20)
	f.expect(live(0, 0)...)
	f.expect("lost 1 to 9")
	f.expect(live(0, 10, 11)...)
	f.expect("lost 12 to 19")
	f.expect(live(0, 20)...)
}

// Nothing but a request reveals the loss of the last message.
func TestLostLastMessage(t *testing.T) {
	t.Parallel()
	f := newFeed(t, replay.SubscriberConfig{Probe: 10 * time.Millisecond})
	f.publish(0, 1)
	f.expect(live(0, 0, 1)...)
	f.keeps(0, 3)
	f.expect(again(0, 2, 3)...)
	before := len(f.asked())
	require.Eventually(t, func() bool { return len(f.asked()) > before+5 }, 20*time.Second, time.Millisecond)
	f.keeps(0, 4)
	f.expect(again(0, 4)...)
	require.Empty(t, f.steps)
}

// A full queue may swallow any part of an answer.
func TestSwallowedAnswer(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(request int, answer [][][]byte) [][][]byte{
		"middle": func(_ int, a [][][]byte) [][][]byte { return slices.Delete(a, len(a)/2, len(a)/2+len(a)/4) },
		"end": func(_ int, a [][][]byte) [][][]byte {
			return slices.Delete(a, (len(a)+1)/2, max(len(a)-1, (len(a)+1)/2))
		},
		"end mark": func(request int, a [][][]byte) [][][]byte {
			if request < 3 {
				return a[:len(a)-1]
			}
			return a
		},
		"all of the first": func(request int, a [][][]byte) [][][]byte {
			if request == 1 {
				return nil
			}
			return a
		},
		"all but one":          func(_ int, a [][][]byte) [][][]byte { return slices.Delete(a, min(1, len(a)-1), len(a)-1) },
		"all but one, no mark": func(_ int, a [][][]byte) [][][]byte { return a[:1] },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFeed(t, replay.SubscriberConfig{})
			f.set(func() { f.harm = harm })
			f.keeps(0, 10)
			f.publish(0, 10)
			f.expect(live(0, 0)...)
			f.expect(again(0, upTo(1, 9)...)...)
			f.expect(live(0, 10)...)
		})
	}
}

// An answer that comes twice, or late, changes nothing. The beginning of an answer to a
// later request may be missing then, which does not make it lost.
func TestLateAnswers(t *testing.T) {
	t.Parallel()
	f := newFeed(t, replay.SubscriberConfig{})
	var late [][][]byte
	f.set(func() {
		f.harm = func(request int, answer [][][]byte) [][][]byte {
			switch request {
			case 1:
				late = answer
				return nil
			case 2:
				return append(slices.Clone(late[7:]), answer...) // the end of the first one, and the second one
			}
			return append(slices.Clone(answer), answer...)
		}
	})
	f.keeps(0, 10)
	f.publish(0, 10)
	f.expect(live(0, 0)...)
	f.expect(again(0, upTo(1, 9)...)...)
	f.publish(11, 20)
	f.keeps(11, 20)
	f.expect(live(0, 10, 11)...)
	f.expect(again(0, upTo(12, 19)...)...)
	f.expect(live(0, 20)...)
}

// A SUB filters by prefix: messages with a longer topic are not of the sequence.
func TestOtherTopics(t *testing.T) {
	t.Parallel()
	f := newFeed(t, replay.SubscriberConfig{})
	foreign := func(n uint64) [][]byte { return [][]byte{[]byte(topic + "2"), seqOf(n), []byte("foreign")} }
	f.set(func() {
		f.harm = func(_ int, answer [][][]byte) [][][]byte {
			return slices.Concat([][][]byte{foreign(1), foreign(2), foreign(500)}, answer)
		}
	})
	f.keeps(0, 3)
	f.publish(0)
	require.NoError(t, f.pub.SendMultipart(t.Context(), foreign(1)))
	require.NoError(t, f.pub.SendMultipart(t.Context(), foreign(0)))
	f.publish(1, 3)
	f.expect(live(0, 0, 1)...)
	f.expect(again(0, 2)...)
	f.expect(live(0, 3)...)
	require.GreaterOrEqual(t, f.sub.Stats().Dropped, uint64(5))
}

// Without a Topic, all messages of the publisher are of its sequence.
func TestAnyTopic(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	pub := newSocket(t, zctx, zmq.Pub, zmq.TrackSubscriptions.To(true))
	s := subscribe(t, zctx, [2]string{bind(t, pub, "inproc://any-topic"), "inproc://nobody"}, replay.SubscriberConfig{})
	require.NoError(t, pub.WaitSubscribers(t.Context(), 1))
	for n, topic := range []string{"a", "", "b"} {
		require.NoError(t, pub.SendMultipart(t.Context(), [][]byte{[]byte(topic), seqOf(uint64(n)), nil}))
	}
	var topics []string
	for m, err := range s.Messages(t.Context()) {
		require.NoError(t, err)
		require.Equal(t, []byte{}, m.Payload)
		if topics = append(topics, m.Topic); len(topics) == 3 {
			break
		}
	}
	require.Equal(t, []string{"a", "", "b"}, topics)
}

// Messages that are none are dropped and counted, whatever their form.
func TestMalformedMessages(t *testing.T) {
	t.Parallel()
	f := newFeed(t, replay.SubscriberConfig{})
	bad := [][][]byte{
		{[]byte(topic)},
		{[]byte(topic), seqOf(0)},
		{[]byte(topic), seqOf(0)[1:], nil},
		{[]byte(topic), append(seqOf(0), 0), nil},
		{[]byte(topic), seqOf(0), nil, nil},
		{[]byte(topic), seqOf(math.MaxUint64), nil}, // an end mark, which only answers have
	}
	for _, m := range bad {
		require.NoError(t, f.pub.SendMultipart(t.Context(), m))
	}
	f.set(func() {
		f.harm = func(_ int, answer [][][]byte) [][][]byte { return slices.Concat(bad[:5], answer) }
	})
	f.keeps(0, 2)
	f.publish(0, 2)
	f.expect(live(0, 0)...)
	f.expect(again(0, 1)...)
	f.expect(live(0, 2)...)
	require.GreaterOrEqual(t, f.sub.Stats().Dropped, uint64(len(bad)))
}

// Absurd numbers take no memory and no time. A publisher that sends them harms its own
// sequence only.
func TestAbsurdNumbers(t *testing.T) {
	t.Parallel()
	f := newFeed(t, replay.SubscriberConfig{})
	f.keeps(0, 1)
	f.publish(0, 1, 1<<63, math.MaxUint64-1)
	f.expect(live(0, 0, 1)...)
	f.expect("lost 2 to 9223372036854775807")
	f.expect(live(0, 1<<63)...)
	f.expect("lost 9223372036854775809 to 18446744073709551613")
	f.expect(live(0, math.MaxUint64-1)...)
	f.keeps(0, 3)
	f.publish(3)
	f.expect("restart: 3 instead of 18446744073709551615")
	f.expect(again(0, 0, 1, 2)...)
	f.expect(live(0, 3)...)
}

// While an answer does not come, live messages are held up to a limit. The others stay in
// the SUB, which drops what does not fit.
func TestHeldMessagesAreBounded(t *testing.T) {
	t.Parallel()
	f := newFeed(t, replay.SubscriberConfig{})
	f.set(func() { f.harm = func(int, [][][]byte) [][][]byte { return nil } })
	f.publish(0)
	f.expect(live(0, 0)...)
	last := uint64(20_000)
	f.publish(upTo(2, last)...)
	require.Eventually(t, func() bool { return f.sub.Stats().Held >= 8192 }, 20*time.Second, time.Millisecond)
	f.set(func() { f.harm = nil })
	f.keeps(0, last)
	f.publish(last + 1)
	var got []uint64
	for len(got) < int(last)+1 {
		var n uint64
		var how string
		select {
		case step := <-f.steps:
			_, err := fmt.Sscan(step, &n, &how)
			require.NoError(t, err, step)
		case <-f.ctx.Done():
			require.FailNow(t, "too few", "%d; %+v", len(got), f.sub.Stats())
		}
		require.EqualValues(t, len(got)+1, n)
		got = append(got, n)
	}
	require.Less(t, f.sub.Stats().Held, 8192+64)
}

// A loop that is left goes on where it stopped. There is one at a time.
func TestLoopGoesOn(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	f := &feed{t: t, zctx: zctx, ctx: context.Background(), last: 5}
	f.open("tcp://127.0.0.1:*", "tcp://127.0.0.1:*")
	t.Cleanup(func() { f.stop() })
	s := subscribe(t, zctx, f.endpoints, replay.SubscriberConfig{Topic: topic, From: replay.FromOldest})
	require.NoError(t, f.pub.WaitSubscribers(t.Context(), 1))
	f.publish(upTo(6, 50)...)
	for want := uint64(0); want <= 50; want++ {
		for m, err := range s.Messages(t.Context()) {
			require.NoError(t, err)
			require.Equal(t, want, m.Seq)
			for _, err := range s.Messages(t.Context()) {
				require.ErrorIs(t, err, syscall.EBUSY)
			}
			break
		}
	}
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		for _, err := range s.Messages(ctx) {
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
		cancel()
	}
	f.keeps(0, 60)
	f.publish(60)
	want := uint64(51)
	for m, err := range s.Messages(t.Context()) {
		require.NoError(t, err)
		require.Equal(t, want, m.Seq)
		if want++; want > 60 {
			break
		}
	}
}

// Close ends a loop, whether it waits for a message or for an answer.
func TestCloseEndsLoop(t *testing.T) {
	t.Parallel()
	for name, from := range map[string]replay.Start{"message": replay.FromNow, "answer": replay.FromOldest} {
		for _, end := range []string{"close", "shutdown", "cancel"} {
			t.Run(name+"/"+end, func(t *testing.T) {
				t.Parallel()
				zctx := newContext(t)
				s := subscribe(t, zctx, [2]string{"tcp://127.0.0.1:1", "tcp://127.0.0.1:1"}, replay.SubscriberConfig{From: from, Probe: time.Millisecond})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				ended := make(chan error, 1)
				go func() {
					for _, err := range s.Messages(ctx) {
						ended <- err
					}
				}()
				switch end {
				case "close":
					require.NoError(t, s.Close())
					require.ErrorIs(t, <-ended, zmq.ErrClosed)
				case "shutdown":
					require.NoError(t, zctx.Shutdown())
					require.ErrorIs(t, <-ended, zmq.ErrTerminated)
				default:
					cancel()
					require.ErrorIs(t, <-ended, context.Canceled)
				}
			})
		}
	}
}

func TestBadSubscribers(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	sub, dealer := newSocket(t, zctx, zmq.Sub), newSocket(t, zctx, zmq.Dealer)
	_, err := replay.NewSubscriber(dealer, dealer, replay.SubscriberConfig{})
	require.ErrorIs(t, err, syscall.EINVAL)
	require.ErrorContains(t, err, "takes a SUB socket, not a DEALER")
	_, err = replay.NewSubscriber(sub, sub, replay.SubscriberConfig{})
	require.ErrorIs(t, err, syscall.EINVAL)
	_, err = replay.NewSubscriber(nil, dealer, replay.SubscriberConfig{})
	require.ErrorIs(t, err, zmq.ErrClosed)
	require.NoError(t, dealer.Close())
	_, err = replay.NewSubscriber(sub, dealer, replay.SubscriberConfig{})
	require.ErrorIs(t, err, zmq.ErrClosed)
}
