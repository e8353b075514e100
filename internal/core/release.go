package core

import (
	"errors"
	"math/bits"
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
	writer  *os.File       // libzmq's threads write to it
	blocks  []*loans       // a place in it is nil when the block was freed
	holes   []int          // those places
	ready   []*loans       // blocks that can take another loan
	unused  int            // blocks without a loan
	back    *libzmq.Buffer // came back, to be released
	lent    int
	running bool
}

// loans are what Go has to remember of some lent pieces of memory, and their heads, each
// with its number as tag. They are allocated together, and freed together.
type loans struct {
	heads []libzmq.Buffer
	free  uint64 // a bit for each that is not lent
	place int    // in blocks
	at    int    // in ready, -1 if it is full
	list  [loansAtOnce]loan
}

// A loan is what Go has to remember of one lent piece of memory.
type loan struct {
	pin     runtime.Pinner
	release func()
}

// loansAtOnce is the number of loans in a block: the bits of loans.free.
const loansAtOnce = 64

// keptUnused is how many blocks without a loan are kept: about 1.6 MiB with 16,384 loans. With
// 16 blocks a loan of 64 bytes took 1.37 times as long as with 256 (BenchmarkCall, zerocopy).
const keptUnused = 256

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
	if len(r.ready) == 0 {
		if err := r.more(); err != nil {
			return err
		}
	}
	b, l := r.take()
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

// more allocates a block.
func (r *releaser) more() error {
	heads := r.home.AllocHeads(loansAtOnce)
	if heads == nil {
		return &Fault{syscall.ENOMEM, "no memory to lend memory with"}
	}
	k := &loans{heads: heads, free: 1<<loansAtOnce - 1, at: -1}
	if n := len(r.holes); n > 0 {
		k.place = r.holes[n-1]
		r.holes = r.holes[:n-1]
		r.blocks[k.place] = k
	} else {
		k.place = len(r.blocks)
		r.blocks = append(r.blocks, k)
	}
	for i := range heads {
		heads[i].Tag = int64(k.place*loansAtOnce + i)
	}
	r.unused++
	r.enter(k)
	return nil
}

// take chooses a loan of the block that was entered last.
func (r *releaser) take() (*libzmq.Buffer, *loan) {
	k := r.ready[len(r.ready)-1]
	if k.free == 1<<loansAtOnce-1 {
		r.unused--
	}
	i := bits.TrailingZeros64(k.free)
	k.free &^= 1 << i
	if k.free == 0 {
		r.leave(k)
	}
	return &k.heads[i], &k.list[i]
}

// give ends a loan, and frees its block if it was the last one in it and there are
// enough others.
func (r *releaser) give(k *loans, i int) {
	if k.free == 0 {
		r.enter(k)
	}
	k.free |= 1 << i
	if k.free != 1<<loansAtOnce-1 {
		return
	}
	if r.unused < keptUnused {
		r.unused++
		return
	}
	r.leave(k)
	r.blocks[k.place] = nil
	r.holes = append(r.holes, k.place)
	r.home.FreeHeads(k.heads)
}

// enter adds a block to those that are ready.
func (r *releaser) enter(k *loans) {
	k.at = len(r.ready)
	r.ready = append(r.ready, k)
}

// leave takes a block out of those that are ready.
func (r *releaser) leave(k *loans) {
	last := len(r.ready) - 1
	r.ready[k.at] = r.ready[last]
	r.ready[k.at].at = k.at
	r.ready[last] = nil
	r.ready = r.ready[:last]
	k.at = -1
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
	k, i := r.blocks[b.Tag/loansAtOnce], int(b.Tag%loansAtOnce)
	l := &k.list[i]
	l.pin.Unpin()
	release, l.release = l.release, nil
	r.give(k, i)
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

// LoansKept returns for how many loans there is memory, lent or not.
func LoansKept() int {
	r := &releases
	r.mu.Lock()
	defer r.mu.Unlock()
	return (len(r.blocks) - len(r.holes)) * loansAtOnce
}
