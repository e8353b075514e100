package inbox

import "math"

// Automatic read-ahead takes up to AheadMost messages from libzmq in one call into C when
// the last receives found messages without waiting. Whether libzmq alone would behave in the
// same way is for the owner of the queue to decide (core.mayReadAhead). The queue itself ends
// it for good when a message is large, because the messages held here would need much memory.
const (
	Auto      = -1        // argument of SetReadAhead
	AheadMost = 64        // messages
	Portion   = 256 << 10 // bytes after which one call takes no more messages

	aheadAfter   = 2       // consecutive receives that did not wait
	aheadRarest  = 1 << 10 // the same at most: it doubles when a call takes one message
	aheadLargest = 4 << 10 // a message of more bytes ends it for the socket
)

// ahead decides how many messages a receive takes from libzmq.
type ahead struct {
	atOnce int  // messages; with 0 or 1, no read-ahead
	auto   bool // atOnce changes automatically
	barred bool // but not on this socket
	inARow int  // consecutive receives that did not wait, while atOnce may change
	after  int  // the number of them at which the next one reads ahead
}

// SetReadAhead sets the number of messages that a receive takes from libzmq at once. With 0
// and 1 it takes only the message that it returns, and with Auto the queue decides. What is
// in the queue already is handed out first in any case.
func (a *ahead) SetReadAhead(messages int) {
	a.atOnce, a.auto, a.inARow = max(messages, 0), messages < 0, 0
}

// ReadAhead returns the value that SetReadAhead set.
func (a *ahead) ReadAhead() int {
	if a.auto {
		return Auto
	}
	return a.atOnce
}

// Due reports whether enough receives in a row did not wait, so that Begin should be called.
func (a *ahead) Due() bool { return a.inARow >= a.after }

// Begin starts automatic read-ahead if that is on and may is true on this socket. The answer
// of may must not change later, since it is asked only once.
func (a *ahead) Begin(may func() bool) {
	a.inARow = 0
	switch {
	case !a.auto || a.barred:
	case may():
		a.atOnce = AheadMost
	default:
		a.barred = true
	}
}

// Bar ends automatic read-ahead for good.
func (a *ahead) Bar() {
	a.barred = true
	if a.auto {
		a.atOnce = 0
	}
}

// goOn decides whether the next receive reads ahead, after a call that took the given
// number of messages. Looking for more than one message in vain takes longer than a receive,
// so it becomes rare where each message is received before the next one is sent.
func (q *Queue) goOn(messages int) {
	if messages > 1 {
		q.after = aheadAfter
	} else {
		q.atOnce, q.after = 0, min(2*q.after, aheadRarest)
	}
	for i := range q.msgs[:q.n] {
		if q.msgs[i].Len() > aheadLargest {
			q.atOnce, q.barred = 0, true
		}
	}
}

// room returns the limits of messages and bytes for one call into C.
func (a *ahead) room() (messages, bytes int) {
	if a.auto {
		return a.atOnce, Portion
	}
	return a.atOnce, math.MaxInt
}
