package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
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
	width    func() int // of the terminal
	mu       sync.Mutex // also of other lines on w
}

const (
	barInterval  = 100 * time.Millisecond
	lineInterval = time.Second
	// barColumns is what the shortest bar, or the spinner and its time, take of a line beside the text.
	barColumns = 16
)

func newProgress(w io.Writer) *progress {
	f, ok := w.(*os.File)
	return &progress{w: w, terminal: ok && term.IsTerminal(int(f.Fd())), width: func() int {
		width, _, err := term.GetSize(int(f.Fd()))
		if err != nil || width == 0 {
			return terminalWidth
		}
		return width
	}}
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
	quit := make(chan struct{})
	var shows sync.WaitGroup
	shows.Go(func() { p.run(total, what, quit) })
	return sync.OnceFunc(func() {
		close(quit)
		shows.Wait()
	})
}

// during shows progress while work runs, with what is live before what is done. A load.Runner
// calls tell before each run.
func (p *progress) during(total time.Duration, l *live, work func(tell func(string)) error) error {
	var what atomic.Value
	what.Store("")
	defer p.start(total, func() string {
		if text := l.show(); text != "" {
			return text + ", " + what.Load().(string)
		}
		return what.Load().(string)
	})()
	return work(func(text string) { what.Store(text) })
}

func (p *progress) run(total time.Duration, what func() string, quit <-chan struct{}) {
	every, show := lineInterval, func(text string, _ time.Duration) { p.say("%s", text) }
	if p.terminal {
		bar := newBar(p.w, total)
		defer bar.Clear() // a terminal that cannot be written to is no reason to stop
		every, show = barInterval, func(text string, elapsed time.Duration) {
			p.mu.Lock()
			defer p.mu.Unlock()
			// A longer line would wrap, and then each one would stay.
			bar.Describe(fmt.Sprintf("%.*s", max(p.width()-barColumns, 0), text))
			if total > 0 {
				elapsed = min(elapsed, total-time.Millisecond)
			}
			_ = bar.Set64(elapsed.Milliseconds())
		}
	}
	begin, ticks := time.Now(), time.NewTicker(every)
	defer ticks.Stop()
	for {
		select {
		case <-quit:
			return
		case <-ticks.C:
			elapsed := time.Since(begin)
			show(left(total, elapsed)+what(), elapsed)
		}
	}
}

// newBar returns a bar of a planned time, or a spinner if it is unknown.
func newBar(w io.Writer, total time.Duration) *progressbar.ProgressBar {
	most := int64(-1)
	if total > 0 {
		most = total.Milliseconds()
	}
	return progressbar.NewOptions64(most, progressbar.OptionSetWriter(w), progressbar.OptionSetWidth(16), progressbar.OptionSetPredictTime(false),
		progressbar.OptionClearOnFinish(), progressbar.OptionFullWidth(), progressbar.OptionSetSpinnerChangeInterval(0)) // 0: no goroutine of its own
}

// left says how much of the planned time remains; nothing once it is over.
func left(total, elapsed time.Duration) string {
	if total == 0 || elapsed > total {
		return ""
	}
	return (total - elapsed).Round(time.Second).String() + " left, "
}
