package core

import (
	"sync/atomic"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/fault"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Batch is a list of messages that are sent or received together. Only one goroutine at a
// time may use it. The batch checks that: a second goroutine gets an error.
//
// Messages appended to an empty batch are packed. Received messages are in slots. When
// the user looks at packed messages, they become slots that are views of the packed
// bytes, which do not move. A message appended behind others in slots gets memory of its
// own.
//
// Len only checks whether the batch is claimed, because a claim costs more than the rest
// of the call. So does At when the messages are in slots. The check finds a goroutine
// that waits in a send or receive. It does not protect views from a call that begins at
// that moment.
type Batch struct {
	busy  atomic.Bool
	count int // messages
	most  int
	sent  Traffic // since the batch was created; guarded by the mutex of its socket

	// A proxy has the batch. It ignores SendTimeout, RecvTimeout and parts of SendMore,
	// receives no remaining parts of a message, and takes only so many bytes.
	forwards bool

	// During a send: the number of messages behind the first count ones. They are not sent,
	// because the socket refuses the first of them with the error refused.
	hidden  int
	refused error

	packed  packed
	slotted bool

	// Message i has the parts msgs[starts[first+i]:starts[first+i+1]] of the slots. Parts
	// outside the messages are empty.
	slots *slots
	first int
}

// slots holds the parts of a batch. The beginnings of messages are stored and not derived
// from More of the parts, because the user may change a part in place.
type slots struct {
	msgs   []libzmq.Msg
	starts []int32 // one more than msgs
}

func newSlots(n int) *slots {
	return &slots{msgs: make([]libzmq.Msg, n), starts: make([]int32, n+1)}
}

var noSlots = newSlots(0)

var (
	errBatchInUse  = fault.New(syscall.EBUSY, "the batch is in use by another goroutine; give each goroutine a batch of its own")
	errBatchRange  = fault.New(syscall.EINVAL, "the batch is nil, or NewBatch did not create it for 1 to 65535 messages; pass such a number to NewBatch")
	errBatchFull   = fault.New(syscall.ENOBUFS, "the batch is full; send it, or create it for more messages")
	errBatchEmpty  = fault.New(syscall.EINVAL, "a message needs at least one part, which may be empty")
	errBatchMemory = fault.New(syscall.ENOMEM, "no memory for a part of this size")
)

// Init sets the limit of a new batch.
func (b *Batch) Init(most int) { b.most, b.slots = most, noSlots }

// InitForward is like Init for the batch of a proxy. It may be called again for another
// limit.
func (b *Batch) InitForward(most int) {
	if b.slots == nil {
		b.slots = noSlots
	}
	b.most, b.forwards = most, true
}

// enter claims the batch for one call.
func (b *Batch) enter() error {
	if !b.busy.CompareAndSwap(false, true) {
		return errBatchInUse
	}
	if b.most < 1 || b.most > libzmq.MaxBatch {
		b.leave()
		return errBatchRange
	}
	return nil
}

func (b *Batch) leave() { b.busy.Store(false) }

// Append adds a message with copies of parts.
func (b *Batch) Append(parts [][]byte) error {
	if err := b.enter(); err != nil {
		return err
	}
	err := b.append(parts)
	b.leave()
	return err
}

func (b *Batch) append(parts [][]byte) error {
	switch {
	case len(parts) == 0:
		return errBatchEmpty
	case b.count >= b.most:
		return errBatchFull
	case b.slotted:
		return b.appendSlots(parts)
	case !b.packed.append(parts):
		return errBatchMemory
	}
	b.count++
	return nil
}

// head and end return the indexes in slots.msgs of the first part and behind the last
// part.
func (b *Batch) head() int { return int(b.slots.starts[b.first]) }
func (b *Batch) end() int  { return int(b.slots.starts[b.first+b.count]) }

func (b *Batch) appendSlots(parts [][]byte) error {
	if err := libzmq.Load(); err != nil { // no context was created yet
		return fault.New(syscall.ENOENT, err.Error())
	}
	if b.end()+len(parts) > len(b.slots.msgs) {
		b.grow(b.end(), len(parts))
	}
	begin := b.end()
	n := begin
	for i, p := range parts {
		m := &b.slots.msgs[n]
		n++
		if rc := m.Alloc(len(p)); rc < 0 {
			libzmq.CloseMsgs(b.slots.msgs[begin:n])
			return errBatchMemory
		}
		copy(m.Bytes(), p)
		m.SetMore(i < len(parts)-1)
	}
	b.count++
	b.slots.starts[b.first+b.count] = int32(n)
	return nil
}

// grow makes room for more parts behind the part before end. The messages move to the
// front.
func (b *Batch) grow(end, parts int) {
	head := b.head()
	s := newSlots(max(2*(end-head+parts), min(b.most, 64)))
	libzmq.MoveMsgs(s.msgs, b.slots.msgs[head:end])
	copy(s.starts, b.slots.starts[b.first:])
	for i := range s.starts {
		s.starts[i] -= int32(head)
	}
	b.slots, b.first = s, 0
}

// unpack moves the packed messages to slots.
func (b *Batch) unpack() {
	n, k := 0, 0
	for at := b.packed.head; at < b.packed.end; {
		if n == len(b.slots.msgs) {
			b.grow(n, 1)
		}
		part, more, behind := b.packed.next(at)
		b.slots.msgs[n].View(part, more)
		n++
		if !more {
			k++
			b.slots.starts[k] = int32(n)
		}
		at = behind
	}
	b.slotted, b.first = true, 0
}

// Len returns the number of messages. It returns 0 while another goroutine uses the
// batch.
func (b *Batch) Len() int {
	if b.busy.Load() {
		return 0
	}
	return b.count
}

// At returns the parts of message i. It returns nil if there is no such message, or while
// another goroutine uses the batch. The parts are valid until the batch is changed.
func (b *Batch) At(i int) []libzmq.Msg {
	if b.busy.Load() {
		return nil
	}
	if !b.slotted {
		if b.enter() != nil {
			return nil
		}
		defer b.leave()
	}
	return b.at(i)
}

func (b *Batch) at(i int) []libzmq.Msg {
	if b.count == 0 {
		return nil
	}
	if !b.slotted {
		b.unpack()
	}
	s, first, count := b.slots, b.first, b.count
	if i < 0 || i >= count || first+i+1 >= len(s.starts) {
		return nil
	}
	from, to := s.starts[first+i], s.starts[first+i+1]
	if from < 0 || from > to || int(to) > len(s.msgs) {
		return nil // another goroutine has changed the batch
	}
	return s.msgs[from:to:to]
}

// Reset empties the batch and releases its messages. It keeps the memory of the batch.
func (b *Batch) Reset() {
	if b.enter() != nil {
		return
	}
	b.drop()
	b.leave()
}

// drop releases and removes all messages.
func (b *Batch) drop() {
	if b.slotted {
		libzmq.CloseMsgs(b.slots.msgs[b.head():b.end()])
	}
	b.empty()
}

// empty removes the messages. They hold no memory except packed bytes.
func (b *Batch) empty() {
	b.first, b.count, b.slotted = 0, 0, false
	b.packed.empty()
}

// Clone makes an empty batch share the content of the first message of another, which is
// in slots.
func (b *Batch) Clone(from *Batch) error {
	parts := from.at(0)
	if len(b.slots.msgs) < len(parts) {
		b.slots = newSlots(len(from.slots.msgs))
	}
	for i := range parts {
		if rc := parts[i].Clone(&b.slots.msgs[i]); rc < 0 {
			libzmq.CloseMsgs(b.slots.msgs[:i])
			return errorOf(rc)
		}
	}
	b.slotted, b.first = true, 0
	b.ends(len(parts))
	return nil
}

// Parts returns the parts of all messages, which are in slots.
func (b *Batch) Parts() []libzmq.Msg { return b.slots.msgs[b.head():b.end()] }

// Skip drops the first messages, at most all of them, and returns the number dropped.
func (b *Batch) Skip(messages int) int {
	if b.enter() != nil {
		return 0
	}
	defer b.leave()
	return b.skip(messages)
}

func (b *Batch) skip(messages int) int {
	n := max(min(messages, b.count), 0)
	b.count -= n
	if b.slotted {
		from := b.head()
		b.first += n
		libzmq.CloseMsgs(b.slots.msgs[from:b.head()])
	} else {
		b.packed.skip(n)
	}
	if b.count+b.hidden == 0 {
		b.empty()
	}
	return n
}

// Close empties the batch and frees its memory. The batch may be used again.
func (b *Batch) Close() error {
	if !b.busy.CompareAndSwap(false, true) {
		return errBatchInUse
	}
	defer b.leave()
	if b.slots != nil { // otherwise NewBatch did not create it
		b.drop()
		b.packed.free()
		b.slots = noSlots
	}
	return nil
}

// ends records that a message ends before part n.
func (b *Batch) ends(n int) {
	b.count++
	b.slots.starts[b.count] = int32(n)
}
