package inbox

import (
	"slices"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Queue is the queue of one socket. Init prepares it, and it must not be copied afterwards.
type Queue struct {
	msgs []libzmq.Msg // entries below n may have contents until the next receive
	head int          // the next part to hand out
	n    int
	more bool // the part handed out last is followed by another

	ahead
	oversized bool // msgs has room for messages that Append took out

	slot  libzmq.Msg
	store [leastRoom]libzmq.Msg
}

const (
	// MaxHeld is the size above which a part that was copied to the caller is released at
	// once. That takes a call into C of its own, some tens of nanoseconds, while a part of
	// that size takes microseconds; without the limit, a socket that reads ahead would hold
	// hundreds of such parts. Smaller ones are released in the call into C of the next receive.
	MaxHeld = 8 << 10

	// leastRoom is the number of parts behind the first for which a queue always has room.
	leastRoom = 4
)

// Init prepares an empty queue, which reads ahead automatically.
func (q *Queue) Init() {
	q.msgs = q.store[:]
	q.SetReadAhead(Auto)
	q.after = aheadAfter
}

// Held returns the number of parts in the queue.
func (q *Queue) Held() int { return q.n - q.head }

// Ready reports whether the first part in the queue begins a message.
func (q *Queue) Ready() bool { return q.n > q.head && !q.more }

// More reports whether the part that was handed out last is followed by another one of its
// message.
func (q *Queue) More() bool { return q.more }

// EndMessage makes More return false.
func (q *Queue) EndMessage() { q.more = false }

// Slot returns a part that belongs to the queue, for a receiver that copies its content. The
// next receive into it releases that.
func (q *Queue) Slot() *libzmq.Msg { return &q.slot }

// Next hands out the first part. It stays valid until the next receive.
func (q *Queue) Next() *libzmq.Msg {
	m := &q.msgs[q.head]
	q.head++
	q.more = m.More()
	return m
}

// Take moves the first part to the caller.
func (q *Queue) Take(to *libzmq.Msg) { HandOut(to, q.Next()) }

// Rest returns the number of parts that complete the current message.
func (q *Queue) Rest() int {
	for i := q.head; i < q.n; i++ {
		if !q.msgs[i].More() {
			return i + 1 - q.head
		}
	}
	return q.Held()
}

// TakeRest hands out the parts behind the one that was handed out last, to the end of their
// message. They stay valid until the queue is used again.
func (q *Queue) TakeRest() []libzmq.Msg {
	if !q.more {
		return nil
	}
	rest := q.msgs[q.head:][:q.Rest()]
	q.head += len(rest)
	q.more = false
	return rest
}

// HandOut moves a part to the caller. If the previous content of to is small, it takes the
// place of the part, and a later receive releases it in its call into C.
func HandOut(to, part *libzmq.Msg) {
	if to.Ours() || to.Len() > MaxHeld {
		to.Close() // its owner waits for the release, or it is large
	}
	to.Swap(part)
}

// Append takes a message from libzmq, if there is one, and puts it behind those in the
// queue. It returns the number of its parts, or -errno.
func (q *Queue) Append(handle libzmq.Socket, flags int) int {
	msgs := make([]libzmq.Msg, 4)
	n, _ := libzmq.Recv(handle, &msgs[0], msgs[1:], 0, flags)
	n = complete(handle, &msgs, n, flags)
	q.insert(msgs[:max(n, 0)], false)
	return n
}

// Last returns the last parts in the queue.
func (q *Queue) Last(parts int) []libzmq.Msg { return q.msgs[q.n-parts : q.n] }

// PutBack takes ownership of the parts of whole messages and puts them in front of those in
// the queue. If a message is being received part by part, its other parts stay in front.
func (q *Queue) PutBack(parts []libzmq.Msg) { q.insert(parts, true) }

// insert takes ownership of parts and puts them into the queue.
func (q *Queue) insert(parts []libzmq.Msg, inFront bool) {
	switch {
	case q.Held() == 0:
		libzmq.CloseMsgs(q.msgs[:q.n])
		q.head, q.n = 0, 0
	case q.head > len(q.msgs)/2:
		libzmq.CloseMsgs(q.msgs[:q.head])
		n := copy(q.msgs, q.msgs[q.head:q.n])
		clear(q.msgs[n:q.n]) // moved
		q.head, q.n = 0, n
	}
	at := q.n
	if inFront {
		at = q.head
		if q.more {
			at += q.Rest()
		}
	}
	all := slices.Insert(q.msgs[:q.n], at, parts...)
	q.msgs, q.n = all[:cap(all)], len(all)
	clear(parts)
}

// Oversized reports whether the queue has more room than it needs, which Enlarged said.
func (q *Queue) Oversized() bool { return q.oversized }

// Enlarged notes that Append was called often enough for Shrink to be worth while.
func (q *Queue) Enlarged() { q.oversized = true }

// Shrink frees the room for messages that Append took out. The queue must be empty.
func (q *Queue) Shrink() {
	libzmq.CloseMsgs(q.msgs[:q.n])
	q.msgs, q.head, q.n, q.more = make([]libzmq.Msg, leastRoom), 0, 0, false
	q.oversized = false
}

// Filter drops the messages for whose first part the function returns true. A
// message that is being received part by part stays.
func (q *Queue) Filter(drop func(first []byte) bool) {
	at := q.head
	if q.more {
		at += q.Rest()
	}
	kept := at
	for at < q.n {
		end := at + 1
		for end < q.n && q.msgs[end-1].More() {
			end++
		}
		if drop(q.msgs[at].Bytes()) {
			libzmq.CloseMsgs(q.msgs[at:end])
		} else {
			for ; at < end; at, kept = at+1, kept+1 {
				q.msgs[kept].Swap(&q.msgs[at])
			}
		}
		at = end
	}
	libzmq.CloseMsgs(q.msgs[kept:q.n])
	q.n = kept
}

// Close releases everything. More keeps its answer, so that a program in the middle of a
// message asks for the next part and learns from its error that the socket is closed.
func (q *Queue) Close() {
	q.slot.Close()
	libzmq.CloseMsgs(q.msgs)
	*q = Queue{more: q.more}
}
