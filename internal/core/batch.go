package core

import (
	"sync/atomic"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Batch is a list of messages that cross into libzmq, or out of it, together. It
// is for one goroutine at a time, and checks that: a second one gets an error.
//
// Len and At only look whether it is claimed, since a claim costs more than the rest
// of them. What At reads stays readable memory whatever happens meanwhile: the slots
// are replaced, not changed.
type Batch struct {
	busy atomic.Bool

	// Message i has the parts msgs[starts[first+i]:starts[first+i+1]] of the slots.
	// Parts outside of the messages hold nothing. Bytes that were appended lie in the
	// arena, and their parts are views of it.
	slots *slots
	first int
	count int
	most  int
	arena arena
	sent  int // by the SendBatch under way
}

// slots is where the parts of a batch are. Where messages begin is not left to the
// parts' More: what a user does to a part in place must not move that.
type slots struct {
	msgs   []libzmq.Msg
	starts []int32 // one more than msgs
}

func newSlots(n int) *slots {
	return &slots{msgs: make([]libzmq.Msg, n), starts: make([]int32, n+1)}
}

var noSlots = newSlots(0)

var (
	errBatchInUse = &Fault{syscall.EBUSY, "the batch is in use by another goroutine; give each goroutine a batch of its own"}
	errBatchRange = &Fault{syscall.EINVAL, "NewBatch was given a number of messages below 1 or above 65535"}
	errBatchFull  = &Fault{syscall.ENOBUFS, "the batch is full; send it, or make it for more messages"}
)

// Init sets the limit of a new batch.
func (b *Batch) Init(most int) { b.most, b.slots = most, noSlots }

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

// head and end are the places in slots.msgs of the first part and behind the last.
func (b *Batch) head() int { return int(b.slots.starts[b.first]) }
func (b *Batch) end() int  { return int(b.slots.starts[b.first+b.count]) }

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
		return &Fault{syscall.EINVAL, "a message has at least one part; append an empty part to send nothing"}
	case b.count >= b.most:
		return errBatchFull
	}
	for b.end()+len(parts) > len(b.slots.msgs) {
		if 2*b.head() <= len(b.slots.msgs) || !b.compact() {
			b.grow(b.end())
		}
	}
	mark, n := b.arena.mark(), b.end()
	for i, p := range parts {
		to := b.arena.alloc(len(p))
		if to == nil && len(p) > 0 {
			b.arena.release(mark)
			return &Fault{syscall.ENOMEM, "no memory for a part of this size"}
		}
		copy(to, p)
		b.slots.msgs[n].View(to, i < len(parts)-1)
		n++
	}
	b.count++
	b.slots.starts[b.first+b.count] = int32(n)
	return nil
}

// grow makes room for more parts behind the first n.
func (b *Batch) grow(n int) {
	more := newSlots(max(2*len(b.slots.msgs), min(b.most, 64)))
	copy(more.msgs, b.slots.msgs[:n])
	copy(more.starts, b.slots.starts)
	b.slots = more
}

// compact moves what is left of a batch to the front, when most of it was sent: a
// batch that is never sent to its end would grow for ever.
func (b *Batch) compact() bool {
	old, base := b.slots.msgs[b.head():b.end()], int32(b.head())
	s := newSlots(len(b.slots.msgs))
	var fresh arena
	for i := range old {
		s.msgs[i] = old[i]
		if buffer, unseen := old[i].Lent(); unseen && buffer == nil {
			to := fresh.alloc(old[i].Len())
			if to == nil && old[i].Len() > 0 {
				fresh.free()
				return false // no memory: it works without
			}
			copy(to, old[i].Bytes())
			s.msgs[i].View(to, old[i].More())
		}
	}
	for i := range b.count + 1 {
		s.starts[i] = b.slots.starts[b.first+i] - base
	}
	b.arena.free()
	b.slots, b.arena, b.first = s, fresh, 0
	return true
}

// Len returns the number of messages, 0 while another goroutine uses the batch.
func (b *Batch) Len() int {
	if b.busy.Load() {
		return 0
	}
	return b.count
}

// At returns the parts of message i, nil if there is none, or while another
// goroutine uses the batch. They are valid until the batch is changed.
func (b *Batch) At(i int) []libzmq.Msg {
	if b.busy.Load() {
		return nil
	}
	s, first, count := b.slots, b.first, b.count
	if i < 0 || i >= count || first+i+1 >= len(s.starts) {
		return nil
	}
	from, to := s.starts[first+i], s.starts[first+i+1]
	if from < 0 || from > to || int(to) > len(s.msgs) {
		return nil // another goroutine came in between
	}
	return s.msgs[from:to:to]
}

// Reset empties the batch, releasing what it holds. Its memory is kept.
func (b *Batch) Reset() {
	if b.enter() != nil {
		return
	}
	b.drop()
	b.leave()
}

// drop releases and forgets all messages.
func (b *Batch) drop() {
	closeHeld(b.slots.msgs[b.head():b.end()])
	b.empty()
}

// empty forgets the messages, which hold nothing.
func (b *Batch) empty() {
	b.first, b.count = 0, 0
	b.arena.reset()
}

// Skip drops the first messages, at most all of them, and returns their number.
func (b *Batch) Skip(messages int) int {
	if b.enter() != nil {
		return 0
	}
	defer b.leave()
	from, n := b.head(), max(min(messages, b.count), 0)
	b.first += n
	b.count -= n
	closeHeld(b.slots.msgs[from:b.head()])
	return n
}

// Close empties the batch and frees its memory. It may be used again.
func (b *Batch) Close() error {
	if !b.busy.CompareAndSwap(false, true) {
		return errBatchInUse
	}
	defer b.leave()
	if b.slots != nil { // else it was not made by NewBatch
		b.drop()
		b.arena.free()
		b.slots = noSlots
	}
	return nil
}
