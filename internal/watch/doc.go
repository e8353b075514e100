// Package watch reports when libzmq has signaled a command to a socket through ZMQ_FD, and
// looks at intervals for work that nobody was told of. It knows neither sockets nor their
// locks. Package core decides what a signal means; its package comment proves that none is
// lost.
//
// A Watcher waits for a duplicate of the descriptor, because only libzmq may close its own, whose
// number may belong to another socket right after zmq_close. On Unix each Watcher is a goroutine
// in Go's netpoller. On Windows, where the netpoller waits only for sockets that Go has created,
// a thread for each 256 of them waits in WSAPoll (watcher_windows.go).
//
// A Watchdog calls a function at intervals, and a Suspicion says when it has found the same thing
// often enough to act.
package watch

import (
	"sync"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/fault"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Target is told of signals. The Watcher's goroutine or thread calls its method, holding no lock.
type Target interface {
	// Signaled handles a signal. Unless wait is set, it returns Busy if it would have to wait
	// for a lock.
	Signaled(w *Watcher, wait bool) Outcome
}

// Outcome says what became of a signal.
type Outcome uint8

const (
	Busy      Outcome = iota // nothing: a lock was taken
	Processed                // the command was processed: wait for the next one
	Ignored                  // the signal may still be there: do not report it again before Expect
	Over                     // the Watcher must end
)

// duplicating lets only one goroutine at a time ask for a descriptor. Linux blocks each
// such call for milliseconds while it enlarges the descriptor table of the process. A
// thousand goroutines that begin to wait would block as many threads there.
var duplicating sync.Mutex

// duplicate returns a descriptor of its own for that of libzmq.
func duplicate(fd int) (int, error) {
	duplicating.Lock()
	defer duplicating.Unlock()
	own := libzmq.Dup(fd)
	if own < 0 {
		return -1, fault.New(syscall.Errno(-own), "no file descriptor is left to wait with; raise the limit (ulimit -n) or close some")
	}
	return own, nil
}
