package watch

import (
	"sync"
	"time"
)

// While nothing happens, the intervals grow, so that an idle process sleeps.
const (
	watchdogInterval    = time.Second
	watchdogNextLook    = 200 * time.Millisecond // if a look found something suspicious
	watchdogMaxInterval = 64 * time.Second
)

// Watchdog calls a function at intervals on a goroutine of its own. Create one with NewWatchdog.
type Watchdog struct {
	start sync.Once
	quit  chan struct{}
	done  chan struct{} // closed when its goroutine has ended, or will not be started
}

// NewWatchdog returns a Watchdog that has not started.
func NewWatchdog() *Watchdog {
	return &Watchdog{quit: make(chan struct{}), done: make(chan struct{})}
}

// Start begins to call look; later calls of Start do nothing. look returns a number that changes
// if anything has happened, and whether it found something suspicious. Both make the next call come
// sooner.
func (d *Watchdog) Start(look func() (happened uint64, suspicious bool)) {
	d.start.Do(func() { go d.run(look) })
}

// Stop ends the calls for good, and waits for one that is under way.
func (d *Watchdog) Stop() {
	close(d.quit)
	d.start.Do(func() { close(d.done) })
	<-d.done
}

func (d *Watchdog) run(look func() (uint64, bool)) {
	defer close(d.done)
	interval := watchdogInterval
	timer := time.NewTimer(interval)
	defer timer.Stop()
	var last uint64
	for {
		select {
		case <-d.quit:
			return
		case <-timer.C:
		}
		happened, suspicious := look()
		interval = next(interval, happened != last, suspicious)
		last = happened
		timer.Reset(interval)
	}
}

func next(interval time.Duration, happened, suspicious bool) time.Duration {
	switch {
	case suspicious:
		return watchdogNextLook
	case happened:
		return watchdogInterval
	}
	return min(2*interval, watchdogMaxInterval)
}

// Looks is the number of consecutive suspicious looks before a Suspicion is certain.
const Looks = 10

// Suspicion is what the last looks at a socket have found. The zero value is none.
//
// A waiter counts as forgotten only if many consecutive looks find it and the Watcher did not run
// in between. Otherwise the edge that wakes the Watcher may simply be on its way, or the Watcher's
// thread may be stalled with its processor while the looks continue. If the whole machine stalls,
// that shortens at most one of the intervals.
type Suspicion struct {
	times   int // consecutive suspicious looks
	wakeups uint64
}

// Again notes another suspicious look, and reports whether the suspicion is certain now. wakeups
// is the number of times that the Watcher ran.
func (p *Suspicion) Again(wakeups uint64) (certain bool) {
	if p.times == 0 || p.wakeups != wakeups {
		*p = Suspicion{wakeups: wakeups}
	}
	if p.times++; p.times < Looks {
		return false
	}
	*p = Suspicion{}
	return true
}
