package peers

import (
	"errors"
	"runtime/metrics"
	"sync"
)

// parked are receivers on sockets of their own, to which nothing is sent. Each is for
// one goroutine, and closes its socket when it ends. stop makes all of them end, and
// may wait for that.
type parked struct {
	receive []func() error
	stop    func() error
}

// Parked are goroutines that wait in a receive, each on a socket of its own.
type Parked struct {
	parked
	ended sync.WaitGroup
	mu    sync.Mutex
	errs  []error
}

// Park starts n goroutines, each of which receives from a socket of its own over
// inproc. That they wait is for the caller to see.
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

// Close ends the goroutines and returns what went wrong.
func (p *Parked) Close() error {
	if p.stop != nil {
		p.fail(p.stop())
	}
	p.ended.Wait()
	return errors.Join(p.errs...)
}

// Pinned returns the number of goroutines that are in C or in a system call: each has
// a thread to itself there.
func Pinned() int {
	sample := []metrics.Sample{{Name: "/sched/goroutines/not-in-go:goroutines"}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64())
}
