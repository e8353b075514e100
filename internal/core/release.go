package core

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"syscall"
	"unsafe"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// releases looks after Go memory that is lent to libzmq: it stays pinned until
// the C callback has pushed its Buffer on the home's stack, and then its release
// function runs, on a goroutine that lives while anything is lent. The descriptors
// stay open for the life of the process, since a thread of libzmq's may be about
// to write to one although its buffer has been seen already.
var releases releaser

type releaser struct {
	mu      sync.Mutex
	home    *libzmq.Home
	reader  *os.File
	writer  *os.File // libzmq's threads write to it
	loans   []loan
	idle    []*libzmq.Buffer // each has the number of its loan as tag
	back    *libzmq.Buffer   // came back, to be released
	lent    int
	running bool
}

// A loan is what Go has to remember of one lent piece of memory.
type loan struct {
	pin     runtime.Pinner
	release func()
}

// loansAtOnce is how many loans are made at once when there is none to reuse.
const loansAtOnce = 64

// LendBytes makes p the content of m, which must be empty, without copying it.
func LendBytes(m *libzmq.Msg, p []byte, release func()) error {
	r := &releases
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.home == nil {
		if err := r.open(); err != nil {
			return err
		}
	}
	if len(r.idle) == 0 {
		if err := r.more(); err != nil {
			return err
		}
	}
	b := r.idle[len(r.idle)-1]
	r.idle = r.idle[:len(r.idle)-1]
	l := &r.loans[b.Tag]
	l.release = release
	if len(p) > 0 {
		l.pin.Pin(unsafe.SliceData(p))
	}
	r.lent++
	if !r.running {
		r.running = true
		go r.run()
	}
	m.Lend(b, unsafe.Pointer(unsafe.SliceData(p)), len(p), false)
	return nil
}

func (r *releaser) open() error {
	reader, writer, err := os.Pipe()
	if err != nil {
		errno := syscall.EMFILE
		errors.As(err, &errno)
		return &Fault{errno, "no pipe to learn with when libzmq is done with the memory; raise the limit on open files (ulimit -n) or close something"}
	}
	conn, err := writer.SyscallConn()
	if err != nil {
		return err
	}
	if err := conn.Control(func(fd uintptr) { r.home = libzmq.OpenHome(int(fd)) }); err != nil {
		return err
	}
	if r.home == nil {
		reader.Close()
		writer.Close()
		return &Fault{syscall.ENOMEM, "no memory to lend memory with"}
	}
	r.reader, r.writer = reader, writer
	return nil
}

func (r *releaser) more() error {
	list := r.home.AllocHeads(loansAtOnce)
	if list == nil {
		return &Fault{syscall.ENOMEM, "no memory to lend memory with"}
	}
	for b := list; b != nil; {
		next := b.Next
		b.Tag = int64(len(r.loans))
		r.loans = append(r.loans, loan{})
		r.idle = append(r.idle, b)
		b = next
	}
	return nil
}

// run calls the release functions, in the order in which the memory came back. One
// that ends its goroutine, as testing's FailNow does, gets a new one behind it.
func (r *releaser) run() {
	releasing := false
	defer func() {
		if releasing && !r.done() {
			go r.run()
		}
	}()
	var buf [64]byte
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
		// Each push on the empty stack writes a byte after it, so a byte that is read
		// before the stack is taken announces nothing that is missed.
		if _, err := r.reader.Read(buf[:]); err != nil {
			panic("zmq: the pipe that tells of released memory broke: " + err.Error())
		}
		r.mu.Lock()
		r.back = r.home.TakeInOrder()
		r.mu.Unlock()
	}
}

// next ends a loan, except that it still counts.
func (r *releaser) next() (release func(), ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.back
	if b == nil {
		return nil, false
	}
	r.back = b.Next
	l := &r.loans[b.Tag]
	l.pin.Unpin()
	release, l.release = l.release, nil
	r.idle = append(r.idle, b)
	return release, true
}

// done counts a loan as ended, and reports whether it was the last: then run ends.
func (r *releaser) done() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lent--
	r.running = r.lent > 0
	return !r.running
}

// Lent returns the number of pieces of Go memory that libzmq has not given back,
// or whose release function has not run.
func Lent() int {
	releases.mu.Lock()
	defer releases.mu.Unlock()
	return releases.lent
}
