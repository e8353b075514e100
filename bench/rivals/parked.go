package rivals

import (
	"errors"
	"runtime/metrics"
	"sync"
)

// parked has receivers, each on a socket of its own that gets no messages. Each receiver is
// called on a goroutine of its own, and closes its socket. stop ends all receivers, and may
// wait for them.
type parked struct {
	receive []func() error
	stop    func() error
}

// Parked has goroutines that wait in a receive, each on a socket of its own.
type Parked struct {
	parked
	ended sync.WaitGroup
	mu    sync.Mutex
	errs  []error
}

// Park starts n goroutines, each of which receives from a socket of its own over inproc. It
// does not wait until they are parked.
func (r *Rival) Park(n int) (*Parked, error) { return start(r.park(n)) }

func start(p parked, err error) (*Parked, error) {
	all := &Parked{parked: p}
	if err != nil {
		all.fail(err)
	}
	for _, receive := range p.receive {
		all.ended.Go(func() { all.fail(receive()) })
	}
	if err != nil {
		return nil, all.Close()
	}
	return all, nil
}

func (p *Parked) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.errs = append(p.errs, err)
}

// Close ends the goroutines and returns their errors.
func (p *Parked) Close() error {
	if p.stop != nil {
		p.fail(p.stop())
	}
	p.ended.Wait()
	return errors.Join(p.errs...)
}

// Pinned returns the number of goroutines that are in C or in a system call. Each of them
// holds a thread.
func Pinned() int {
	sample := []metrics.Sample{{Name: "/sched/goroutines/not-in-go:goroutines"}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64())
}
