// Package lending lends Go memory to libzmq. Lent memory is pinned. When libzmq has finished
// with it, a C callback pushes the memory's header (libzmq.Buffer) onto a stack
// (libzmq.Home). A goroutine then unpins the memory and calls its release function. The
// goroutine exists while any memory is lent.
package lending

import (
	"runtime"
	"sync"
	"syscall"
	"unsafe"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/fault"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// all manages the loans of the process.
var all lender

type lender struct {
	mu   sync.Mutex
	home *libzmq.Home

	// libzmq's threads ring it. It stays open for the lifetime of the process, because one
	// of them may be about to write to it although its buffer has already been processed.
	bell bell

	loans   map[*libzmq.Buffer]*loan // all, by their heads
	free    []*loan                  // those that are not lent
	back    *libzmq.Buffer           // given back, not yet released
	lent    int
	running bool
}

// loan is the Go state of one lent piece of memory.
type loan struct {
	head    []libzmq.Buffer // one, in native memory
	pin     runtime.Pinner
	release func()
}

// keptFree is the number of loans that are kept for reuse, about 3 MiB. Sends without a
// copy that fill the queues of some sockets then allocate nothing.
const keptFree = 1 << 14

// Lend makes p the content of m, which must be empty, without copying it. After libzmq has
// finished with p, release is called on a goroutine of this package, unless it is nil.
func Lend(m *libzmq.Msg, p []byte, release func()) error {
	r := &all
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.home == nil {
		if err := r.open(); err != nil {
			return err
		}
	}
	l := r.take()
	if l == nil {
		return errNoHead
	}
	l.release = release
	if len(p) > 0 {
		l.pin.Pin(unsafe.SliceData(p))
	}
	r.lent++
	if !r.running {
		r.running = true
		go r.run()
	}
	m.Lend(&l.head[0], unsafe.Pointer(unsafe.SliceData(p)), len(p), false)
	return nil
}

func (r *lender) open() error {
	if err := core.StartNetpoller(); err != nil {
		return err
	}
	bell, fd, err := openBell()
	if err != nil {
		return err
	}
	if r.home = libzmq.OpenHome(fd); r.home == nil {
		bell.close()
		return errNoHead
	}
	r.bell = bell
	r.loans = map[*libzmq.Buffer]*loan{}
	return nil
}

var errNoHead = fault.New(syscall.ENOMEM, "no memory is left for zero-copy messages")

// take returns a loan that is not lent, or nil if there is no memory for one.
func (r *lender) take() *loan {
	if last := len(r.free) - 1; last >= 0 {
		l := r.free[last]
		r.free = r.free[:last]
		return l
	}
	head := r.home.AllocHeads(1)
	if head == nil {
		return nil
	}
	l := &loan{head: head}
	r.loans[&head[0]] = l
	return l
}

// give ends a loan.
func (r *lender) give(l *loan) {
	if len(r.free) < keptFree {
		r.free = append(r.free, l)
		return
	}
	delete(r.loans, &l.head[0])
	r.home.FreeHeads(l.head)
}

// run calls the release functions in the order in which the memory was given back. If one
// of them ends its goroutine, as testing's FailNow does, a new goroutine continues.
func (r *lender) run() {
	releasing := false
	defer func() {
		if releasing && !r.done() {
			go r.run()
		}
	}()
	for {
		for release, ok := r.next(); ok; release, ok = r.next() {
			releasing = true
			if release != nil {
				release()
			}
			releasing = false
			if r.done() {
				return
			}
		}
		// A push onto the empty stack writes to the bell. The goroutine empties the bell
		// before it takes the stack, so it misses no push.
		if err := r.bell.wait(); err != nil {
			panic("zmq: the descriptor that reports released memory failed: " + err.Error())
		}
		r.mu.Lock()
		r.back = r.home.TakeInOrder()
		r.mu.Unlock()
	}
}

// next ends a loan, but lent still counts it.
func (r *lender) next() (release func(), ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.back
	if b == nil {
		return nil, false
	}
	r.back = b.Next
	l := r.loans[b]
	l.pin.Unpin()
	release, l.release = l.release, nil
	r.give(l)
	return release, true
}

// done counts a loan as ended and reports whether it was the last one. If so, run ends.
func (r *lender) done() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lent--
	r.running = r.lent > 0
	return !r.running
}

// Lent returns the number of pieces of Go memory that libzmq has not given back, or whose
// release function has not run.
func Lent() int {
	all.mu.Lock()
	defer all.mu.Unlock()
	return all.lent
}

// Kept returns the number of loans for which memory is allocated, lent or not.
func Kept() int {
	all.mu.Lock()
	defer all.mu.Unlock()
	return len(all.loans)
}
