package replay_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq/replay"
)

// Numbers that go back are those of a new publisher. Its first messages are asked for.
func TestRestartedPublisher(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first, last uint64 // what the new publisher keeps
		publishes   uint64
		want        []string
	}{
		"from 0":          {0, 0, 0, append([]string{"restart: 0 instead of 12"}, live(1, 0)...)},
		"later":           {0, 4, 4, slices.Concat([]string{"restart: 4 instead of 12"}, again(1, 0, 1, 2, 3), live(1, 4))},
		"some lost":       {3, 4, 4, slices.Concat([]string{"restart: 4 instead of 12", "lost 0 to 2"}, again(1, 3), live(1, 4))},
		"the same":        {0, 11, 11, slices.Concat([]string{"restart: 11 instead of 12"}, again(1, upTo(0, 10)...), live(1, 11))},
		"numbers follow":  {0, 12, 12, slices.Concat([]string{"restart: 11 instead of 12"}, again(1, upTo(0, 11)...), live(1, 12))},
		"numbers overlap": {0, 20, 20, slices.Concat([]string{"restart: 11 instead of 12"}, again(1, upTo(0, 19)...), live(1, 20))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFeed(t, replay.SubscriberConfig{})
			f.keeps(10, 11)
			f.publish(10, 11)
			f.expect(live(0, 10, 11)...)
			f.restart(c.first, c.last)
			f.publish(c.publishes)
			f.expect(c.want...)
			require.EqualValues(t, 1, f.sub.Stats().Restarts)
		})
	}
}

// A restart in the middle of a gap: what the old publisher had sent comes first.
func TestRestartDuringGap(t *testing.T) {
	t.Parallel()
	f := newFeed(t, replay.SubscriberConfig{})
	f.set(func() { f.harm = func(int, [][][]byte) [][][]byte { return nil } })
	f.publish(10, 12, 13, 15)
	f.expect(live(0, 10)...)
	require.Eventually(t, func() bool { return f.sub.Stats().Held == 3 }, 20*time.Second, time.Millisecond)
	f.set(func() { f.harm = nil })
	f.restart(0, 3)
	f.publish(2, 3)
	f.expect("lost 11 to 11")
	f.expect(live(0, 12, 13)...)
	f.expect("lost 14 to 14")
	f.expect(live(0, 15)...)
	f.expect("restart: 2 instead of 16")
	f.expect(again(1, 0, 1)...)
	f.expect(live(1, 2, 3)...)
}

// A restart without a word: only a request shows it.
func TestSilentRestart(t *testing.T) {
	t.Parallel()
	f := newFeed(t, replay.SubscriberConfig{Probe: 20 * time.Millisecond})
	f.keeps(0, 9)
	f.publish(9)
	f.expect(live(0, 9)...)
	f.restart(0, 2)
	f.expect("restart: 0 instead of 10")
	f.expect(again(1, 0, 1, 2)...)
	f.restart(0, 9)
	f.expect("restart: 2 instead of 3")
	f.expect(again(2, upTo(0, 9)...)...)
}

// A publisher that continues the numbers of the one before is none that restarted.
func TestNumbersContinue(t *testing.T) {
	t.Parallel()
	f := newFeed(t, replay.SubscriberConfig{Probe: 20 * time.Millisecond})
	f.keeps(0, 9)
	f.publish(9)
	f.expect(live(0, 9)...)
	f.restart(1, 0) // keeps nothing
	before := len(f.asked())
	require.Eventually(t, func() bool { return len(f.asked()) > before+3 }, 20*time.Second, time.Millisecond)
	f.publish(10)
	f.expect(live(1, 10)...)
	f.keeps(10, 12)
	f.publish(12)
	f.expect(again(1, 11)...)
	f.expect(live(1, 12)...)
}
