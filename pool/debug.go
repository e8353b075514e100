package pool

import (
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/zmq"
)

// debugOutput receives the reports of misuse.
var debugOutput io.Writer = os.Stderr

// debug records the use of messages and buffers, to find misuse. On nil all its methods do
// nothing.
type debug struct {
	mu      sync.Mutex
	buffers map[*libzmq.Buffer]*history
}

// A history is that of a buffer: the line of the last Get, and how it returned to the pool.
type history struct{ got, returned string }

// A record is the history of a message. Any goroutine may cause misuse.
type record struct{ got, put atomic.Pointer[string] }

func lineOf(p *atomic.Pointer[string]) string {
	if line := p.Load(); line != nil {
		return *line
	}
	return "an unknown place"
}

// The records of all messages of pools in debug mode, by address, because this map must
// not keep the messages alive.
var messages sync.Map // uintptr to *record

const poison = 0xDB

var seed = maphash.MakeSeed()

func newDebug() *debug {
	if !slices.Contains(strings.Split(os.Getenv(zmq.DebugVariable), ","), "pool") {
		return nil
	}
	core.SetWatch(&core.Watch{Send: seal, Idle: wherePut})
	return &debug{buffers: map[*libzmq.Buffer]*history{}}
}

func report(format string, args ...any) {
	fmt.Fprintf(debugOutput, "zmq/pool: "+format+"\n", args...)
}

// newMessage creates a message, in debug mode one with a record.
func (d *debug) newMessage() *zmq.Message {
	m := new(zmq.Message)
	if d != nil {
		address := uintptr(unsafe.Pointer(m))
		r := &record{}
		messages.Store(address, r)
		// When this runs, another message may have the address already.
		runtime.AddCleanup(m, func(address uintptr) { messages.CompareAndDelete(address, r) }, address)
	}
	return m
}

func recordOf(m *zmq.Message) *record {
	if r, ok := messages.Load(uintptr(unsafe.Pointer(m))); ok {
		return r.(*record)
	}
	return &record{}
}

// wherePut reports the use of a message after Put, and returns the line of the Put.
func wherePut(msg *libzmq.Msg) string {
	r, ok := messages.Load(uintptr(unsafe.Pointer(msg)))
	if !ok {
		return ""
	}
	line := lineOf(&r.(*record).put)
	report("a Message was used at %s, after Put at %s", core.CallerLine(), line)
	return line
}

// seal records the checksum of a buffer when it is sent.
func seal(b *libzmq.Buffer, content []byte) {
	b.Sum, b.Sealed = maphash.Bytes(seed, content), int64(len(content))
}

func contentOf(b *libzmq.Buffer, n int) []byte {
	return unsafe.Slice((*byte)(b.Content()), n)
}

func sizeOf(b *libzmq.Buffer) int { return 1 << (smallest + int(b.Tag)) }

// each calls f with each buffer of a list. d.mu is held during the calls.
func (d *debug) each(first *libzmq.Buffer, f func(b *libzmq.Buffer)) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for b := first; b != nil; b = b.Next {
		f(b)
	}
}

// made records new buffers.
func (d *debug) made(first *libzmq.Buffer) {
	d.each(first, func(b *libzmq.Buffer) {
		b.Watched = 1
		d.buffers[b] = &history{}
	})
}

// got records that a message is handed out, and reports a write to its buffer while that
// was idle.
func (d *debug) got(m *zmq.Message, b *libzmq.Buffer) {
	line := core.CallerLine()
	recordOf(m).got.Store(&line)
	if b == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	h := d.buffers[b]
	if h.returned != "" && slices.ContainsFunc(contentOf(b, sizeOf(b)), func(x byte) bool { return x != poison }) {
		report("memory from Get at %s was written to after it had returned to the pool (%s)", h.got, h.returned)
	}
	*h = history{got: line}
}

// put records that a message returned, with its buffer if it has one.
func (d *debug) put(m *zmq.Message, b *libzmq.Buffer) {
	line := core.CallerLine()
	recordOf(m).put.Store(&line)
	if b == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.poison(b, "Put at "+line)
}

// poison fills a buffer that has returned with a pattern. d.mu is held.
func (d *debug) poison(b *libzmq.Buffer, returned string) {
	b.Sealed = -1
	content := contentOf(b, sizeOf(b))
	for i := range content {
		content[i] = poison
	}
	d.buffers[b].returned = returned
}

// misput reports a Put of a message that is not handed out.
func (d *debug) misput(id uint32, m *zmq.Message, msg *libzmq.Msg) {
	line := core.CallerLine()
	// Compare and swap reads without a race: another goroutine may put it as well.
	is := func(owner uint32) bool { return msg.ChangeOwner(owner, owner) }
	switch {
	case is(id | 1):
		report("a Message was put twice, at %s and at %s", lineOf(&recordOf(m).put), line)
	case is(0) || is(closing):
		report("a Message that belongs to no pool was put at %s", line)
	default:
		report("a Message of another pool, from Get at %s, was put at %s", lineOf(&recordOf(m).got), line)
	}
}

// returned reports writes to buffers after they were sent. libzmq has returned them.
func (d *debug) returned(first *libzmq.Buffer) {
	d.each(first, func(b *libzmq.Buffer) {
		if b.Sealed >= 0 && maphash.Bytes(seed, contentOf(b, int(b.Sealed))) != b.Sum {
			report("memory from Get at %s was written to after it was sent, by the sender or, over inproc, by the receiver", d.buffers[b].got)
		}
		d.poison(b, "it was sent")
	})
}

// forget drops the records of freed buffers.
func (d *debug) forget(first *libzmq.Buffer) {
	d.each(first, func(b *libzmq.Buffer) { delete(d.buffers, b) })
}
