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

// releases manages Go memory that is lent to libzmq. The memory stays pinned until the C
// callback has pushed its Buffer on the home's stack. Then its release function runs on a
// goroutine that exists while any memory is lent. The descriptors stay open for the
// lifetime of the process, because a libzmq thread may be about to write to one although
// its buffer has already been processed.
var releases releaser

type releaser struct {
	mu      sync.Mutex
	home    *libzmq.Home
	reader  *os.File
	writer  *os.File       // libzmq's threads write to it
	blocks  []*loans       // nil where a block was freed
	holes   []int          // indexes of the freed blocks
	ready   []*loans       // blocks with room for another loan
	unused  int            // blocks without a loan
	back    *libzmq.Buffer // given back, not yet released
	lent    int
	running bool
}

// loans is a block of loans with their heads. Each head has the number of its loan as
// tag. The loans of a block are allocated together and freed together.
type loans struct {
	heads []libzmq.Buffer
	free  uint64 // one bit for each loan that is not lent
	place int    // index in blocks
	at    int    // index in ready; -1 if the block is full
	list  [loansAtOnce]loan
}

// loan is the Go state of one lent piece of memory.
type loan struct {
	pin     runtime.Pinner
	release func()
}

// loansAtOnce is the number of loans in a block: the bits of loans.free.
const loansAtOnce = 64

// keptUnused is the number of blocks without a loan that are kept: about 1.6 MiB with
// 16,384 loans. With 16 blocks, a loan of 64 bytes took 1.37 times as long as with 256
// (BenchmarkCall, zerocopy).
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

// take returns a loan of the block that was entered last.
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

// give ends a loan. If it was the last one in its block and enough other blocks are
// unused, it frees the block.
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

// enter adds a block to the ready ones.
func (r *releaser) enter(k *loans) {
	k.at = len(r.ready)
	r.ready = append(r.ready, k)
}

// leave removes a block from the ready ones.
func (r *releaser) leave(k *loans) {
	last := len(r.ready) - 1
	r.ready[k.at] = r.ready[last]
	r.ready[k.at].at = k.at
	r.ready[last] = nil
	r.ready = r.ready[:last]
	k.at = -1
}

// run calls the release functions in the order in which the memory was given back. If one
// of them ends its goroutine, as testing's FailNow does, a new goroutine continues.
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
		// Each push on the empty stack then writes a byte. So no push is missed if a byte
		// is read before the stack is taken.
		if _, err := r.reader.Read(buf[:]); err != nil {
			panic("zmq: the pipe that tells of released memory broke: " + err.Error())
		}
		r.mu.Lock()
		r.back = r.home.TakeInOrder()
		r.mu.Unlock()
	}
}

// next ends a loan, but lent still counts it.
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

// done counts a loan as ended and reports whether it was the last one. If so, run ends.
func (r *releaser) done() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lent--
	r.running = r.lent > 0
	return !r.running
}

// Lent returns the number of pieces of Go memory that libzmq has not given back, or whose
// release function has not run.
func Lent() int {
	releases.mu.Lock()
	defer releases.mu.Unlock()
	return releases.lent
}

// LoansKept returns the number of loans for which memory is allocated, lent or not.
func LoansKept() int {
	r := &releases
	r.mu.Lock()
	defer r.mu.Unlock()
	return (len(r.blocks) - len(r.holes)) * loansAtOnce
}
