package pace

import (
	"runtime"
	"sync"
)

// spares is how many of Go's processors are there for threads that only measure.
var spares struct {
	mu         sync.Mutex
	own, extra int
}

// Spare adds n to GOMAXPROCS until undo is called, for as many goroutines that pace or
// look at the machine. A thread that comes back from a sleep, or from C, needs one of
// Go's processors to go on. If all are taken, by what is measured, it waits until Go
// stops another goroutine, which is up to 10 ms later. With a processor of its own it
// waits for none but the machine's, as a thread of a program in C does, and what is
// measured keeps as many as it had.
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
