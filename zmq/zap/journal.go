package zap

import "sync/atomic"

// maxBehind is how many decisions wait for a slow Log.
const maxBehind = 1024

// journal calls Log for one decision after the other, even if SetPolicy replaces the policy
// and its Log. Its goroutine exists only while there are decisions to log.
type journal struct {
	waiting  chan *entry
	running  atomic.Bool
	unlogged atomic.Uint64 // decisions that were dropped, or for which Log panicked
}

// entry is a decision with the Log of the policy that made it.
type entry struct {
	log      func(Decision)
	decision Decision
}

func newJournal() *journal { return &journal{waiting: make(chan *entry, maxBehind)} }

// add queues a decision for log, unless log is nil. If the queue is full, it drops the
// decision and counts it.
func (j *journal) add(log func(Decision), d Decision) {
	if log == nil {
		return
	}
	select {
	case j.waiting <- &entry{log, d}:
		if j.running.CompareAndSwap(false, true) {
			go j.run()
		}
	default:
		j.unlogged.Add(1)
	}
}

// run calls Log until no decision waits. If Log panics or calls runtime.Goexit, which only
// the counter reports, another goroutine logs the rest.
func (j *journal) run() {
	returned := false
	defer func() {
		if !returned {
			_ = recover()
			j.unlogged.Add(1)
			go j.run()
		}
	}()
	for {
		select {
		case e := <-j.waiting:
			e.log(e.decision)
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
