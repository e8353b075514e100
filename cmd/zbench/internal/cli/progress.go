package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows how far the work is: a bar on a terminal, a line per interval elsewhere.
// The bar counts milliseconds of the time that was planned, so that the remaining time is
// right from the start.
type progress struct {
	w        io.Writer
	terminal bool
	mu       sync.Mutex // also of other lines on w
}

const (
	barInterval  = 100 * time.Millisecond
	lineInterval = 5 * time.Second
)

func newProgress(w io.Writer) *progress {
	f, ok := w.(*os.File)
	return &progress{w: w, terminal: ok && term.IsTerminal(int(f.Fd()))}
}

// say writes a line.
func (p *progress) say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.w, "zbench: "+format+"\n", args...)
}

// start shows progress until stop is called. total is the planned time; 0: unknown. what
// says what is being done; any goroutine may call it.
func (p *progress) start(total time.Duration, what func() string) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		if p.terminal {
			p.bar(total, what, quit)
		} else {
			p.lines(total, what, quit)
		}
	}()
	return sync.OnceFunc(func() {
		close(quit)
		<-done
	})
}

func (p *progress) bar(total time.Duration, what func() string, quit <-chan struct{}) {
	most := int64(-1) // a spinner
	if total > 0 {
		most = total.Milliseconds()
	}
	bar := progressbar.NewOptions64(most, progressbar.OptionSetWriter(p.w), progressbar.OptionSetWidth(16), progressbar.OptionSetPredictTime(false),
		progressbar.OptionClearOnFinish(), progressbar.OptionFullWidth())
	begin, ticks := time.Now(), time.NewTicker(barInterval)
	defer ticks.Stop()
	for {
		select {
		case <-quit:
			_ = bar.Clear() // a terminal that cannot be written to is no reason to stop
			return
		case <-ticks.C:
			p.mu.Lock()
			bar.Describe(left(total, time.Since(begin)) + what())
			if most > 0 {
				_ = bar.Set64(min(time.Since(begin).Milliseconds(), most-1))
			} else {
				_ = bar.Add(1)
			}
			p.mu.Unlock()
		}
	}
}

// left says how long it takes still.
func left(total, elapsed time.Duration) string {
	if total == 0 {
		return ""
	}
	return max(total-elapsed, 0).Round(time.Second).String() + " left, "
}

func (p *progress) lines(total time.Duration, what func() string, quit <-chan struct{}) {
	begin, ticks := time.Now(), time.NewTicker(lineInterval)
	defer ticks.Stop()
	for {
		select {
		case <-quit:
			return
		case <-ticks.C:
			p.say("%s%s", left(total, time.Since(begin)), what())
		}
	}
}
