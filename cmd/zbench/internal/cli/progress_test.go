package cli

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// screen is a terminal that any goroutine may read.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// The remaining time is right from the start, and nothing is left of the bar at the end.
func TestBar(t *testing.T) {
	t.Parallel()
	var s screen
	p := &progress{w: &s, terminal: true, width: func() int { return terminalWidth }}
	stop := p.start(time.Hour, func() string { return "run 1" })
	first := regexp.MustCompile(`(\S+) left, run 1 +(\d+)%`)
	require.Eventually(t, func() bool { return first.MatchString(s.String()) }, time.Minute, time.Millisecond)
	stop()
	found := first.FindStringSubmatch(s.String())
	left, err := time.ParseDuration(found[1])
	require.NoError(t, err)
	require.InDelta(t, time.Hour, left, float64(time.Minute))
	require.Equal(t, "0", found[2])
	require.Regexp(t, `\r *\r?$`, s.String(), "the line is empty")
	stop() // again, for nothing
}

// On a narrow terminal the text is cut: a line that wraps would not be written over.
func TestNarrowBar(t *testing.T) {
	t.Parallel()
	for _, total := range []time.Duration{0, time.Hour} {
		var s screen
		p := &progress{w: &s, terminal: true, width: func() int { return 40 }}
		stop := p.start(total, func() string { return strings.Repeat("run ", 20) })
		require.Eventually(t, func() bool { return strings.Count(s.String(), "run ") > 0 }, time.Minute, time.Millisecond)
		stop()
		for line := range strings.SplitSeq(s.String(), "\r") {
			before, _, _ := strings.Cut(line, "|") // the bar itself has its own width
			require.LessOrEqual(t, len([]rune(strings.TrimRight(before, " "))), 40, line)
		}
	}
}

// A side that goes on until it is stopped has a spinner.
func TestSpinner(t *testing.T) {
	t.Parallel()
	var s screen
	p := &progress{w: &s, terminal: true, width: func() int { return terminalWidth }}
	stop := p.start(0, func() string { return "7 messages" })
	require.Eventually(t, func() bool { return regexp.MustCompile(`7 messages`).MatchString(s.String()) }, time.Minute, time.Millisecond)
	stop()
	require.NotContains(t, s.String(), "left")
	require.NotContains(t, s.String(), "%")
}

// Elsewhere than on a terminal there is a line for each interval.
func TestLines(t *testing.T) {
	t.Parallel()
	var s screen
	p := newProgress(&s)
	stop := p.start(time.Hour, func() string { return "run 1" })
	require.Eventually(t, func() bool { return s.String() != "" }, time.Minute, 10*time.Millisecond)
	stop()
	require.Regexp(t, `^zbench: 59m\d+s left, run 1\n$`, s.String())
}

func TestLeft(t *testing.T) {
	t.Parallel()
	require.Equal(t, "10s left, ", left(10*time.Second, 0))
	require.Equal(t, "4s left, ", left(10*time.Second, 6*time.Second))
	require.Empty(t, left(10*time.Second, 11*time.Second), "a side that waits for its peers has not begun")
	require.Empty(t, left(0, time.Second))
}

// A line ends before a number and its unit, not between them.
func TestWrap(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 77)
	require.Equal(t, long+"\n  5 %.", wrap(long+" 5 %.", "  "))
	require.Equal(t, "5 %.", wrap("5 %.", ""))
}
