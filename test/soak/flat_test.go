//go:build linux

package soak_test

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// What grows is told from what only goes up and down, each by its own check.
func TestJudge(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		leak func(m *mark, i int)
		says string
	}{
		"nothing":    {func(*mark, int) {}, ""},
		"memory":     {func(m *mark, i int) { m.rss += int64(i) << 18 }, "resident memory grows"},
		"a step":     {func(m *mark, i int) { m.rss += int64(i/60) << 24 }, ""},
		"a drop":     {func(m *mark, i int) { m.rss += int64(i)<<18 - int64(i/50)<<22 }, "resident memory grows"},
		"late":       {func(m *mark, i int) { m.rss += int64(max(i-60, 0)) << 19 }, "resident memory grows"},
		"files":      {func(m *mark, i int) { m.files += i }, "descriptors grow"},
		"threads":    {func(m *mark, i int) { m.threads += i }, "threads grow"},
		"goroutines": {func(m *mark, i int) { m.goroutines += i }, "goroutines grow"},
		"messages":   {func(m *mark, i int) { m.held += i }, "messages grow"},
		"native":     {func(m *mark, i int) { m.native += int64(i) << 18 }, "native bytes grow"},
		"rescues":    {func(m *mark, _ int) { m.rescues = 1 }, "rescues"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var marks []mark
			for i := range 100 {
				m := mark{at: time.Duration(i) * time.Second, rss: 50<<20 + int64(i%7)<<18, files: 20 + i%5, threads: 9, goroutines: 30 + i%9}
				c.leak(&m, i)
				marks = append(marks, m)
			}
			err := judge(marks)
			switch {
			case c.says == "":
				require.NoError(t, err)
			case !instrumented || !strings.Contains(c.says, "memory"):
				require.ErrorContains(t, err, c.says)
			}
		})
	}
}

// Leaks that are made on purpose are found by a real run. On a machine that is busy with
// other things that takes a longer one.
func TestSoakFindsLeaks(t *testing.T) {
	grow := []string{"descriptors grow", "goroutines grow", "threads grow", "messages grow"}
	missing := func(err error) bool {
		return err == nil || slices.ContainsFunc(grow, func(g string) bool { return !strings.Contains(err.Error(), g) })
	}
	const shortest, longest = 10 * time.Second, 80 * time.Second
	marks := leaking(t, shortest)
	for lasts := 2 * shortest; lasts <= longest && missing(judge(marks)); lasts *= 2 {
		marks = leaking(t, lasts)
	}
	require.GreaterOrEqual(t, len(marks), leastMarks)
	for _, g := range grow {
		require.ErrorContains(t, judge(marks), g)
	}
}

// leaking is a run that leaks, until it ends.
func leaking(t *testing.T, lasts time.Duration) []mark {
	t.Helper()
	end := make(chan struct{})
	defer close(end)
	leaked := make(chan *os.File, 1<<16)
	defer func() {
		close(leaked)
		for f := range leaked {
			_ = f.Close()
		}
	}()
	var pieces, lost atomic.Int32
	var dropped [1 << 12]zmq.Message // one of 64 bytes for each thousand
	_, marks := run(t, lasts, func(s *soak) {
		if n := lost.Add(1); uint64(n) <= min(s.messages.Load()/1000, uint64(len(dropped)-1)) {
			if err := dropped[n].Alloc(64); err != nil {
				panic(err)
			}
		} else {
			lost.Add(-1)
		}
		if pieces.Add(1)%5 != 0 {
			return
		}
		// A goroutine on a thread of its own, and a descriptor.
		started := make(chan struct{})
		go func() {
			runtime.LockOSThread()
			close(started)
			<-end
		}()
		<-started
		if f, err := os.Open(os.DevNull); err == nil {
			leaked <- f
		}
	})
	for i := range dropped {
		require.NoError(t, dropped[i].Close())
	}
	return marks
}
