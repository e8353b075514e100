package pool

import (
	"errors"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/zmq"
)

// Config says what a pool keeps. The zero value stands for the defaults.
type Config struct {
	// MaxSize is the size in bytes up to which messages are pooled, rounded up to a
	// power of two. Larger ones are allocated and freed each time. Default 1 MiB, at
	// most 1 GiB.
	MaxSize int

	// MaxIdleBytes is how much memory may lie idle; what comes back beyond that is
	// freed. Default 64 MiB; a negative number means any amount. Memory that comes
	// back while nobody calls Get is seen within a second.
	MaxIdleBytes int64
}

const (
	defaultMaxSize = 1 << 20
	defaultMaxIdle = 64 << 20
)

// Pool lends messages over native memory. It is safe for use by any number of
// goroutines.
type Pool struct {
	id       uint32 // even; the owner of the messages that are out
	maxSize  int
	maxIdle  int64
	classes  []class
	shelves  sync.Pool // of *handle
	messages sync.Pool // of *zmq.Message, each empty

	closed    atomic.Bool
	idle      atomic.Int64 // bytes on shelves and in classes, never less than there are
	live      atomic.Int64 // bytes that exist
	oversized atomic.Int64
	refused   atomic.Int64

	mu   sync.Mutex // before a shelf's, before a class's
	all  map[*shelf]struct{}
	gone [maxClasses]int64 // Gets of shelves that are no more

	reapMu sync.Mutex
	reap   *time.Timer
	debug  *debug
}

// ids are even numbers from 2 on: 0 owns nothing, and the lowest bit says idle.
var ids atomic.Uint32

// closing marks a message of no pool's while Put releases its content, so that only
// one of several Puts does.
const closing = 1

// New makes a pool. It allocates nothing before the first Get.
func New(cfg Config) *Pool {
	p := &Pool{
		id: ids.Add(1) << 1, maxSize: cfg.MaxSize, maxIdle: cfg.MaxIdleBytes,
		all: map[*shelf]struct{}{},
	}
	if p.maxSize <= 0 {
		p.maxSize = defaultMaxSize
	}
	if p.maxIdle == 0 {
		p.maxIdle = defaultMaxIdle
	}
	if p.maxIdle < 0 {
		p.maxIdle = 1<<63 - 1
	}
	p.classes = make([]class, classFor(min(p.maxSize, largest))+1)
	for i := range p.classes {
		p.classes[i].size = 1 << (smallest + i)
		p.classes[i].home = libzmq.OpenHome(-1)
	}
	p.maxSize = p.classes[len(p.classes)-1].size
	p.debug = newDebug()
	// Homes outlive their pool until the last buffer is back.
	runtime.AddCleanup(p, leave, p.classes)
	return p
}

// leave frees what lies idle when a pool is found to be gone: it may have been
// dropped without Close. Its shelves were retired before, since they know it.
func leave(classes []class) {
	for i := range classes {
		classes[i].idle.free()
		if h := classes[i].home; h != nil {
			h.Close()
			h.Leave()
		}
	}
}

// Default returns a pool for the whole process, with the default Config. Do not
// close it.
func Default() *Pool { return defaultPool() }

var defaultPool = sync.OnceValue(func() *Pool { return New(Config{}) })

// Get returns a Message of size bytes. Its content is not cleared. Up to MaxSize
// the memory comes from the pool; beyond, it is allocated, and freed after the
// sending. It fails with EINVAL for a negative size, ENOMEM without memory, and
// ErrClosed after Close. It does not wait.
//
// libzmq: zmq_msg_init_data when it is sent, zmq_msg_init_size beyond MaxSize.
func (p *Pool) Get(size int) (*zmq.Message, error) {
	if size < 0 {
		return nil, &zmq.Error{Op: "pool get", Errno: syscall.EINVAL, Detail: "a size below zero"}
	}
	i := classFor(size)
	if i >= len(p.classes) {
		return p.oversize(size)
	}
	s, err := p.open()
	if err != nil {
		return nil, err
	}
	var b *libzmq.Buffer
	if i < warmFrom || p.classes[i].nothingBack() {
		b = s.lists[i].pop()
	}
	if b == nil {
		b = p.refill(s, i)
	}
	if b != nil {
		s.gets[i]++
	}
	p.done(s)
	if b == nil {
		return nil, errNoMemory(size)
	}
	m, msg := p.message()
	msg.Lend(b, b.Content(), size, false)
	if p.debug != nil {
		p.debug.got(m, b)
	}
	return m, nil
}

// message returns a Message without content, to be handed out.
func (p *Pool) message() (*zmq.Message, *libzmq.Msg) {
	m, _ := p.messages.Get().(*zmq.Message)
	if m == nil {
		m = p.debug.newMessage()
	}
	msg := core.MessageOf(m)
	msg.SetOwner(p.id)
	return m, msg
}

func errNoMemory(size int) error {
	return &zmq.Error{Op: "pool get", Errno: syscall.ENOMEM, Detail: "no memory for " + strconv.Itoa(size) + " bytes"}
}

// oversize hands out a message whose memory is not the pool's.
func (p *Pool) oversize(size int) (*zmq.Message, error) {
	if p.closed.Load() {
		return nil, errClosed
	}
	m, _ := p.message()
	if err := m.Alloc(size); err != nil {
		p.Put(m)
		if errors.Is(err, syscall.ENOMEM) {
			return nil, errNoMemory(size)
		}
		return nil, err // there is no libzmq
	}
	p.oversized.Add(1)
	if p.debug != nil {
		p.debug.got(m, nil)
	}
	return m, nil
}

// GetBytes is Get with a copy of data as content.
func (p *Pool) GetBytes(data []byte) (*zmq.Message, error) {
	m, err := p.Get(len(data))
	if err != nil {
		return nil, err
	}
	copy(m.Bytes(), data)
	return m, nil
}

// Put gives a Message of Get's back, after it was sent, or instead; what it still
// holds goes back as well, or is released if it was received. The Message must not
// be used afterwards, and no slice of its Bytes either. A nil Message is ignored. So is one that is in the pool
// already or that another pool lent; of one that no pool lent the content is
// released. Stats counts these, and see the package comment for how to find them.
// After Close everything is freed.
//
// libzmq: zmq_msg_close, for what is not the pool's memory.
func (p *Pool) Put(m *zmq.Message) {
	if m == nil {
		return
	}
	msg := core.MessageOf(m)
	if !msg.ChangeOwner(p.id, p.id|1) {
		p.refused.Add(1)
		if p.debug != nil {
			p.debug.misput(p.id, m, msg)
		}
		if msg.ChangeOwner(0, closing) {
			msg.Close()
			msg.SetOwner(0)
		}
		return
	}
	b, _ := msg.Lent()
	if b != nil && p.owns(b) {
		msg.Forget()
	} else {
		// Nothing, or what was received, or moved here from elsewhere.
		msg.Close()
		b = nil
	}
	if p.debug != nil {
		p.debug.put(m, b)
	} else {
		p.messages.Put(m)
	}
	if b != nil {
		p.takeBack(b)
	}
}

// takeBack puts a buffer that was not sent on a shelf.
func (p *Pool) takeBack(b *libzmq.Buffer) {
	s, err := p.open()
	if err != nil { // the pool is closed
		b.Next = nil
		b.Free()
		return
	}
	p.shelve(s, b)
	p.done(s)
}

// owns reports whether a buffer is one of the pool's.
func (p *Pool) owns(b *libzmq.Buffer) bool {
	i := int(b.Tag)
	return i >= 0 && i < len(p.classes) && b.Home() == p.classes[i].home
}

// Prewarm allocates memory for n messages of size bytes, so that later Gets find
// it. It fails with EINVAL for a size out of range, or for more than MaxIdleBytes
// in all, and with ENOMEM; then nothing is kept of what it allocated.
func (p *Pool) Prewarm(size, n int) error {
	i := classFor(max(size, 0))
	if size < 0 || n < 0 || i >= len(p.classes) {
		return &zmq.Error{Op: "pool prewarm", Errno: syscall.EINVAL, Detail: "a number below zero, or a size above MaxSize, which is " + strconv.Itoa(p.maxSize)}
	}
	c := &p.classes[i]
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.closed.Load() {
		return errClosed
	}
	if p.reserve(i, n, n) < n {
		return &zmq.Error{Op: "pool prewarm", Errno: syscall.EINVAL, Detail: "more memory than MaxIdleBytes allows to lie idle, which is " + strconv.FormatInt(p.maxIdle, 10)}
	}
	var fresh list
	for fresh.n < n {
		some := p.allocate(i, min(n-fresh.n, 64))
		if some.n == 0 {
			p.idle.Add(-int64(n * c.size))
			p.release(i, &fresh)
			return errNoMemory(size)
		}
		some.move(&fresh, some.n)
	}
	fresh.move(&c.idle, n)
	return nil
}

var errClosed = &zmq.Error{Op: "pool get", Errno: syscall.ENOTSOCK, Detail: "the pool is closed; make another with New"}

// Trim frees all idle memory. What is in use is not touched, and comes back to
// the pool.
func (p *Pool) Trim() {
	for _, s := range p.snapshot() {
		s.mu.Lock()
		p.clear(s)
		s.mu.Unlock()
	}
	for i := range p.classes {
		p.collectAll(i, 0)
	}
}

// Close frees all idle memory, and has what is in use freed when it comes back;
// Stats goes on telling how much that is. Later Gets fail with ErrClosed. Further
// calls do nothing.
func (p *Pool) Close() error {
	if p.closed.Swap(true) {
		return nil
	}
	p.reapMu.Lock()
	if p.reap != nil {
		p.reap.Stop()
	}
	p.reapMu.Unlock()
	p.Trim()
	for i := range p.classes {
		if h := p.classes[i].home; h != nil {
			h.Close()
		}
	}
	return nil
}
