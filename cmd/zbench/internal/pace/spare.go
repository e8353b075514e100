package pace

import (
	"runtime"
	"sync"
)

// spares counts Go's processors: the program's own, and those of threads that only measure.
var spares struct {
	mu         sync.Mutex
	own, extra int
}

// Spare adds n to GOMAXPROCS until undo is called, for n goroutines that pace messages or
// watch the machine. A thread that returns from a sleep, or from C, needs one of Go's
// processors. If the measured goroutines use all of them, it waits until Go preempts one of
// them, up to 10 ms later. With a processor of its own it does not wait, like a thread of a
// program in C, and the measured goroutines keep theirs.
func Spare(n int) (undo func()) {
	spares.mu.Lock()
	defer spares.mu.Unlock()
	if spares.extra == 0 {
		spares.own = runtime.GOMAXPROCS(0)
	}
	setSpares(spares.extra + n)
	return sync.OnceFunc(func() {
		spares.mu.Lock()
		defer spares.mu.Unlock()
		setSpares(spares.extra - n)
	})
}

func setSpares(extra int) {
	spares.extra = extra
	runtime.GOMAXPROCS(spares.own + extra)
}
