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

// run calls Log until no decision waits. If Log panics or calls runtime.Goexit, which only
// the counter reports, another goroutine logs the rest.
func (j *journal) run(left *atomic.Uint64) {
	returned := false
	defer func() {
		if !returned {
			_ = recover()
			left.Add(1)
			go j.run(left)
		}
	}()
	for {
		j.mu.Lock()
		if len(j.waiting) == 0 {
			j.running, j.waiting = false, nil
			j.mu.Unlock()
			returned = true
			return
		}
		d := j.waiting[0]
		j.waiting = j.waiting[1:]
		j.mu.Unlock()
		j.log(d)
	}
}
