package zap

import (
	"sync"
	"sync/atomic"
)

// maxBehind is how many decisions wait for a slow Log.
const maxBehind = 1024

// journal calls a policy's Log for one decision after the other. Its goroutine exists only
// while there are decisions to log.
type journal struct {
	log func(Decision)

	mu      sync.Mutex
	waiting []Decision
	running bool
}

// add queues a decision. If the queue is full, it drops the decision and counts it in left.
func (j *journal) add(d Decision, left *atomic.Uint64) {
	if j.log == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.waiting) >= maxBehind {
		left.Add(1)
		return
	}
	j.waiting = append(j.waiting, d)
	if !j.running {
		j.running = true
		go j.run(left)
	}
}

func (j *journal) run(left *atomic.Uint64) {
	for {
		j.mu.Lock()
		if len(j.waiting) == 0 {
			j.running, j.waiting = false, nil
			j.mu.Unlock()
			return
		}
		d := j.waiting[0]
		j.waiting = j.waiting[1:]
		j.mu.Unlock()
		if !j.call(d, left) {
			// Log called runtime.Goexit, which ends this goroutine.
			return
		}
	}
}

// call calls Log and recovers its panics, which only the counter reports. After a Goexit
// another goroutine logs the rest.
func (j *journal) call(d Decision, left *atomic.Uint64) (returned bool) {
	defer func() {
		if returned {
			return
		}
		left.Add(1)
		if recover() == nil {
			go j.run(left)
			return
		}
		returned = true
	}()
	j.log(d)
	return true
}
