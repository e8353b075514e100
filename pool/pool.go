package pool

import (
	"errors"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/zmq"
)

// Config holds the limits of a pool. The zero value means the defaults.
type Config struct {
	// MaxSize is the size in bytes up to which the pool reuses memory, rounded up to a
	// power of two. Memory for larger messages is allocated and freed each time. The
	// default is 1 MiB, the maximum 1 GiB.
	MaxSize int

	// MaxIdleBytes is the limit of idle memory, in bytes. Memory that exceeds the limit
	// when it returns is freed; if there are no calls of Get, this happens within a
	// second. The default is 64 MiB; a negative number means no limit.
	MaxIdleBytes int64
}

const (
	defaultMaxSize = 1 << 20
	defaultMaxIdle = 64 << 20
)

// Pool hands out messages in reused native memory. Any number of goroutines may use it at
// the same time. Create one with New and close it with Close.
type Pool struct {
	id       uint32 // even; the owner of the messages handed out
	maxSize  int
	maxIdle  int64
	classes  []class
	messages sync.Pool // of empty *zmq.Message

	closed    atomic.Bool
	idle      atomic.Int64 // bytes that are idle
	live      atomic.Int64 // bytes allocated
	oversized atomic.Int64
	refused   atomic.Int64

	reaping atomic.Bool // reapNow will be called

	debug *debug
}

// ids are even numbers from 2 on. 0 means no owner; the lowest bit means idle.
var ids atomic.Uint32

// closing is the owner of a message without a pool while Put releases its content. Of
// several Puts only one does that.
const closing = 1

// New creates a pool. It allocates no native memory before the first Get.
func New(cfg Config) *Pool {
	p := &Pool{
		id: ids.Add(1) << 1, maxSize: cfg.MaxSize, maxIdle: cfg.MaxIdleBytes,
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
	n := classFor(min(p.maxSize, largest)) + 1
	p.classes = make([]class, 0, n)
	for i := range n {
		home := libzmq.OpenHome(-1)
		if home == nil {
			break // memory is exhausted: the pool reuses no larger buffers
		}
		p.classes = append(p.classes, class{size: 1 << (smallest + i), home: home})
	}
	p.maxSize = 1 << (smallest + len(p.classes) - 1)
	p.debug = newDebug()
	// A home lives until its last buffer is back, even without its pool.
	runtime.AddCleanup(p, leave, p.classes)
	return p
}

// leave frees the idle memory of a pool that was dropped without Close.
func leave(classes []class) {
	for i := range classes {
		classes[i].idle.free()
		classes[i].home.Close()
		classes[i].home.Leave()
	}
}

// Default returns a pool for the whole process, with the default Config. It must not be
// closed.
func Default() *Pool { return defaultPool() }

var defaultPool = sync.OnceValue(func() *Pool { return New(Config{}) })

// Get returns a Message of size bytes, whose content is not cleared. Up to MaxSize, the
// memory comes from the pool. Memory for a larger Message is allocated by Get, and freed
// after the send. Get does not block. It fails with EINVAL for a negative size, with
// ENOMEM if there is no memory, and with zmq.ErrClosed after Close.
//
// Implements: zmq_msg_init_data when the Message is sent, zmq_msg_init_size above MaxSize.
func (p *Pool) Get(size int) (*zmq.Message, error) {
	if size < 0 {
		return nil, &zmq.Error{Op: "pool get", Errno: syscall.EINVAL, Detail: "the size " + strconv.Itoa(size) + " is negative"}
	}
	i := classFor(size)
	if i >= len(p.classes) {
		return p.oversize(size)
	}
	c := &p.classes[i]
	c.mu.Lock()
	if p.closed.Load() {
		c.mu.Unlock()
		return nil, errClosed
	}
	b := p.take(i)
	if b != nil {
		c.gets++
	}
	c.mu.Unlock()
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

// message returns a Message without content, ready to be handed out.
func (p *Pool) message() (*zmq.Message, *libzmq.Msg) {
	m, _ := p.messages.Get().(*zmq.Message)
	if m == nil {
		m = p.debug.newMessage()
	}
	msg := core.Of(m)
	msg.SetOwner(p.id)
	return m, msg
}

func errNoMemory(size int) error {
	return &zmq.Error{Op: "pool get", Errno: syscall.ENOMEM, Detail: "no memory for " + strconv.Itoa(size) + " bytes"}
}

// oversize returns a message with memory that does not belong to the pool.
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
		return nil, err // libzmq could not be loaded
	}
	p.oversized.Add(1)
	if p.debug != nil {
		p.debug.got(m, nil)
	}
	return m, nil
}

// GetBytes returns a Message with a copy of data. It otherwise behaves like Get.
func (p *Pool) GetBytes(data []byte) (*zmq.Message, error) {
	m, err := p.Get(len(data))
	if err != nil {
		return nil, err
	}
	copy(m.Bytes(), data)
	return m, nil
}

// Put returns a Message from Get to the pool, whether it was sent or not. If the Message
// still holds memory of the pool, the pool keeps it. Put releases any other content, such
// as a received part. The caller must not use the Message or a slice of its Bytes
// afterwards. Put does not block.
//
// Put ignores nil. It also ignores a Message that is in the pool already or belongs to
// another pool. It releases the content of a Message that belongs to no pool. Except for
// nil, Stats counts these cases as Refused; the package comment describes how to find
// them. After Close, Put frees the memory of the Message.
//
// Implements: zmq_msg_close, for memory that is not the pool's.
func (p *Pool) Put(m *zmq.Message) {
	if m == nil {
		return
	}
	msg := core.Of(m)
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
		// No content, or some that was received or moved here.
		msg.Close()
		b = nil
	}
	if p.debug != nil {
		p.debug.put(m, b)
	} else {
		p.messages.Put(m)
	}
	if b != nil {
		c := &p.classes[b.Tag]
		one := list{}
		one.push(b)
		c.mu.Lock()
		c.returned++
		p.keep(c, &one)
		c.mu.Unlock()
	}
}

// owns reports whether a buffer belongs to the pool.
func (p *Pool) owns(b *libzmq.Buffer) bool {
	i := int(b.Tag)
	return i >= 0 && i < len(p.classes) && b.Home() == p.classes[i].home
}

// Prewarm allocates memory for n messages of size bytes, for later Gets. It fails with
// EINVAL for a negative size or n, a size above MaxSize, or more idle memory than
// MaxIdleBytes in total. It fails with ENOMEM if there is no memory, and with
// zmq.ErrClosed after Close. After an error the pool keeps nothing of the new memory.
func (p *Pool) Prewarm(size, n int) error {
	i := classFor(max(size, 0))
	if size < 0 || n < 0 || i >= len(p.classes) {
		return &zmq.Error{Op: "pool prewarm", Errno: syscall.EINVAL, Detail: "the size must be 0 to " + strconv.Itoa(p.maxSize) + " (MaxSize), and n must not be negative"}
	}
	c := &p.classes[i]
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.closed.Load() {
		return errClosed
	}
	if p.reserve(c, n, n) < n {
		return &zmq.Error{Op: "pool prewarm", Errno: syscall.EINVAL, Detail: "the idle memory would exceed MaxIdleBytes, which is " + strconv.FormatInt(p.maxIdle, 10)}
	}
	var fresh list
	for fresh.n < n {
		some := p.allocate(i, min(n-fresh.n, 64))
		if some.n == 0 {
			p.idle.Add(-int64(n * c.size))
			p.release(c, &fresh)
			return errNoMemory(size)
		}
		some.move(&fresh, some.n)
	}
	fresh.move(&c.idle, n)
	return nil
}

var errClosed = &zmq.Error{Op: "pool get", Errno: syscall.ENOTSOCK, Detail: "the pool is closed; create another with New"}

// Trim frees all idle memory. It does not touch memory in use, which later returns to the
// pool.
func (p *Pool) Trim() {
	for i := range p.classes {
		p.collectAll(&p.classes[i], 0)
	}
}

// Close frees all idle memory. Memory in use is freed when it returns; until then, Stats
// still counts it. Later Gets fail with zmq.ErrClosed. Further calls do nothing.
func (p *Pool) Close() error {
	if p.closed.Swap(true) {
		return nil
	}
	p.Trim()
	for i := range p.classes {
		p.classes[i].home.Close()
	}
	return nil
}
