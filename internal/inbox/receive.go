package inbox

import "github.com/go-zmq/go-zmq/internal/libzmq"

// Receive hands out the first part of the queue. If the queue is empty, it takes a message
// from libzmq, whose first part goes to first while the others stay in the queue; when it
// reads ahead, it takes several messages. It returns 0 or -errno, and the socket's events if
// the shim has read them.
func (q *Queue) Receive(handle libzmq.Socket, first *libzmq.Msg, flags int) (rc, events int) {
	if q.Held() > 0 {
		q.Take(first)
		return 0, 0
	}
	if q.atOnce > 1 {
		if rc, events = q.fill(handle, flags); rc == 0 {
			q.Take(first)
		}
		return rc, events
	}
	rc, events = libzmq.Recv(handle, first, q.msgs, q.n, flags)
	q.head, q.n, q.more = 0, 0, false
	if rc <= 0 {
		q.inARow = 0
		return rc, events
	}
	q.inARow++
	if rc = complete(handle, &q.msgs, rc-1, flags); rc < 0 {
		first.Close()
		return rc, events
	}
	q.n, q.more = rc, first.More()
	return 0, events
}

// firstAhead is the initial number of parts for which there is room. It doubles when they
// do not suffice.
const firstAhead = 64

// fill reads ahead: it takes the available messages from libzmq in one call into C, which
// also releases the parts that were handed out before. The queue must be empty.
func (q *Queue) fill(handle libzmq.Socket, flags int) (rc, events int) {
	want := min(firstAhead, q.atOnce)
	if q.n == len(q.msgs) { // all were used
		want = max(want, 2*q.n)
	}
	if want > len(q.msgs) {
		libzmq.CloseMsgs(q.msgs[:q.n])
		q.msgs, q.n = make([]libzmq.Msg, want), 0
	}
	messages, bytes := q.room()
	rc, events, whole := libzmq.RecvBatch(handle, q.msgs, 0, q.n, nil, messages, bytes, flags)
	q.head, q.n, q.more = 0, max(rc, 0), false
	if q.auto {
		q.goOn(whole)
	}
	if rc > 0 {
		rc = complete(handle, &q.msgs, rc, flags)
		q.n = max(rc, 0)
	}
	return min(rc, 0), events
}

// complete receives the rest of a message if its first n parts fill msgs. It returns the
// number of parts, or n if that is negative. Only a shutdown makes it fail, and then it
// releases all parts.
func complete(handle libzmq.Socket, msgs *[]libzmq.Msg, n, flags int) int {
	for n > 0 && n == len(*msgs) && (*msgs)[n-1].More() {
		more := make([]libzmq.Msg, 2*n)
		libzmq.MoveMsgs(more, *msgs)
		*msgs = more
		rc := libzmq.RecvRest(handle, more[n:], flags)
		if rc < 0 {
			libzmq.CloseMsgs(more[:n])
			return rc
		}
		n += rc
	}
	return n
}
