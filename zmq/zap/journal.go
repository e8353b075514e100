package zap

import "sync/atomic"

// maxBehind is how many decisions wait for a slow Log.
const maxBehind = 1024

// journal calls a policy's Log for one decision after the other. Its goroutine exists only
// while there are decisions to log.
type journal struct {
	log     func(Decision)
	waiting chan *Decision
	running atomic.Bool
}

// add queues a decision. If the queue is full, it drops the decision and counts it in left.
func (j *journal) add(d Decision, left *atomic.Uint64) {
	if j.log == nil {
		return
	}
	select {
	case j.waiting <- &d:
		if j.running.CompareAndSwap(false, true) {
			go j.run(left)
		}
	default:
		left.Add(1)
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
		select {
		case d := <-j.waiting:
			j.log(*d)
		default:
			// A decision that add queues before this store is found below. After it, add
			// starts the next goroutine.
			j.running.Store(false)
			if len(j.waiting) == 0 || !j.running.CompareAndSwap(false, true) {
				returned = true
				return
			}
		}
	}
}
