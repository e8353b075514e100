//go:build linux

package soak_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/test/testutil/intercept"
)

// A mark is what the process needs at a rest: when no work is done, and what the work
// before needed has been closed.
type mark struct {
	at                         time.Duration // since the beginning
	rss                        int64         // bytes
	native                     int64         // bytes of the pool's buffers that are out
	held                       int           // messages not closed, sent or received
	rescues                    uint64
	files, threads, goroutines int
}

// watch has the work rest now and then until the time is up.
func (s *soak) watch(t *testing.T, duration time.Duration) (marks []mark) {
	t.Helper()
	begin := time.Now()
	for {
		select {
		case <-s.ctx.Done():
			return marks
		case <-time.After(max(duration/40, 100*time.Millisecond)):
		}
		s.rest.Lock()
		m := s.settled(t, marks)
		s.rest.Unlock()
		m.at = time.Since(begin)
		t.Logf("rest: %+v", m)
		marks = append(marks, m)
	}
}

// settled measures repeatedly for a while, because another thread frees closed sockets.
func (s *soak) settled(t *testing.T, before []mark) (m mark) {
	t.Helper()
	tries := 2000
	if s.leak != nil {
		tries = 150 // it will not settle
	}
	for i := range tries {
		if i > 250 && len(before) == 0 {
			break
		}
		now := s.look(t)
		if m.files == 0 {
			m = now
		}
		m.files, m.threads = min(m.files, now.files), min(m.threads, now.threads)
		m.goroutines, m.native = min(m.goroutines, now.goroutines), min(m.native, now.native)
		m.held = min(m.held, now.held)
		if len(before) > 0 && m.files <= before[0].files+more/2 && m.goroutines <= before[0].goroutines+more/2 && m.native == 0 && m.held <= before[0].held {
			break
		}
		time.Sleep(2 * time.Millisecond)
	}
	debug.FreeOSMemory()
	last := s.look(t)
	m.rss, m.rescues = last.rss, last.rescues
	return m
}

func (s *soak) look(t *testing.T) mark {
	t.Helper()
	held := intercept.CountMessages()
	m := mark{held: held, goroutines: runtime.NumGoroutine(), rescues: core.Rescues(), native: s.pool.Stats().OutstandingBytes}
	statm, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	var total, resident int64
	_, err = fmt.Sscan(string(statm), &total, &resident)
	require.NoError(t, err)
	m.rss = resident * int64(os.Getpagesize())
	m.files, m.threads = entries(t, "/proc/self/fd"), entries(t, "/proc/self/task")
	return m
}

func entries(t *testing.T, dir string) int {
	t.Helper()
	all, err := os.ReadDir(dir)
	require.NoError(t, err)
	return len(all)
}

// What may be more at the end than after the first third. Goroutines and descriptors
// of a connection that is being closed may be there at any rest; Go keeps its threads.
const (
	moreThreads = 8
	more        = 8       // descriptors, goroutines
	moreNative  = 4 << 20 // bytes in use at a rest
	moreHeld    = 16      // messages: one that is lost of each thousand makes a hundred in some seconds
	hourly      = 1 << 20 // bytes of resident memory an hour
	// Below an hour, noise is more than that: heaps that fill up, pages that are half
	// full.
	moreShort = 6 << 20
)

// leastForMemory is how long a run must be before its memory tells of anything but the
// heap's first collections.
const leastForMemory = 30 * time.Second

// leastMarks is how many tell anything.
const leastMarks = 6

// steady returns what counts, the first third being for getting warm.
func steady(marks []mark) []mark { return marks[len(marks)/3:] }

// slope returns how many bytes of resident memory come on top in an hour, by least
// squares.
func slope(marks []mark) float64 {
	var t, m float64
	for _, k := range marks {
		t += k.at.Hours()
		m += float64(k.rss)
	}
	n := float64(len(marks))
	t, m = t/n, m/n
	var both, square float64
	for _, k := range marks {
		both += (k.at.Hours() - t) * (float64(k.rss) - m)
		square += (k.at.Hours() - t) * (k.at.Hours() - t)
	}
	return both / square
}

// grown returns by how many bytes resident memory has grown, and how many are allowed. A
// leak goes on; the largest step is what is taken once, such as the heap's next piece.
func grown(marks []mark) (bytes, allowed float64) {
	lasted := marks[len(marks)-1].at - marks[0].at
	bytes = slope(withoutStep(marks)) * lasted.Hours()
	allowed = hourly * lasted.Hours()
	if lasted < time.Hour {
		allowed = max(moreShort, allowed)
	}
	return bytes, allowed
}

// withoutStep removes the largest step up from a list of marks.
func withoutStep(marks []mark) []mark {
	at, step := 0, int64(0)
	for i := 1; i < len(marks); i++ {
		if d := marks[i].rss - marks[i-1].rss; d > step {
			at, step = i, d
		}
	}
	level := slices.Clone(marks)
	for i := at; i < len(level) && step > 0; i++ {
		level[i].rss -= step
	}
	return level
}

// judge says what grows.
func judge(marks []mark) error {
	if len(marks) < leastMarks {
		return nil // too few to tell
	}
	marks = steady(marks)
	var errs []error
	rss, allowed := grown(marks)
	if !instrumented && marks[len(marks)-1].at >= leastForMemory*9/10 && rss > allowed {
		lasted := marks[len(marks)-1].at - marks[0].at
		errs = append(errs, fmt.Errorf("resident memory grows by %.0f KiB in %v; %.0f are allowed", rss/1024, lasted.Round(time.Second), allowed/1024))
	}
	early, late := least(marks[:len(marks)/2]), least(marks[len(marks)/2:])
	for _, c := range []struct {
		what        string
		early, late int64
		allowed     int64
	}{
		{"descriptors", int64(early.files), int64(late.files), more},
		{"threads", int64(early.threads), int64(late.threads), moreThreads},
		{"goroutines", int64(early.goroutines), int64(late.goroutines), more},
		{"messages", int64(early.held), int64(late.held), moreHeld},
		{"native bytes", early.native, late.native, moreNative},
	} {
		if c.late-c.early > c.allowed {
			errs = append(errs, fmt.Errorf("%s grow from %d to %d; %d more are allowed", c.what, c.early, c.late, c.allowed))
		}
	}
	if n := marks[len(marks)-1].rescues; n > 0 {
		errs = append(errs, fmt.Errorf("%d rescues: the watchdog found a forgotten waiter", n))
	}
	return errors.Join(errs...)
}

// least returns the least mark. A leak is part of every mark.
func least(marks []mark) mark {
	m := marks[0]
	for _, n := range marks {
		m.files, m.threads = min(m.files, n.files), min(m.threads, n.threads)
		m.goroutines, m.native = min(m.goroutines, n.goroutines), min(m.native, n.native)
		m.held = min(m.held, n.held)
	}
	return m
}

func growth(marks []mark) string {
	if len(marks) < leastMarks {
		return "too short to see growth"
	}
	marks = steady(marks)
	early, late := least(marks[:len(marks)/2]), least(marks[len(marks)/2:])
	rss, allowed := grown(marks)
	return fmt.Sprintf("rss %+.1f MiB (%.0f allowed), fds %+d, threads %+d, goroutines %+d, messages held %+d, native bytes %+d, rescues %d",
		rss/(1<<20), allowed/(1<<20), late.files-early.files, late.threads-early.threads,
		late.goroutines-early.goroutines, late.held-early.held, late.native-early.native, marks[len(marks)-1].rescues)
}
