package core

import "time"

// A batch is sent in portions, and the socket's mutex is released between two of them, so that
// Close, Stats and other calls do not wait for the whole batch. A portion ends after a number of
// messages, which follows the time that they take: with 5,000 subscribers a message of a PUB
// takes a thousand times as long as one of a PUSH. Sending a portion again costs 0.3 µs.
const (
	portionFirst = 256 // messages, until their time is known
	portionMost  = 1024
	portionBytes = 256 << 10
	portionTime  = time.Millisecond
	portionTimed = 64 // messages; fewer are not worth reading the clock

	// Receiving moves a message without copying it, so its time hardly depends on the message.
	recvPortion = 4096
)

// portion is the number of messages in the next portion that a socket sends; 0: not known.
type portion int

// hold is one portion.
type hold struct {
	size            *portion
	messages, bytes int // that may still be sent
	sent            int
	began           time.Time
}

// begin begins a portion of a batch with the given number of messages.
func (p *portion) begin(count int) hold {
	if *p == 0 {
		*p = portionFirst
	}
	h := hold{size: p, messages: int(*p), bytes: portionBytes}
	if count >= portionTimed || *p < portionTimed {
		h.began = time.Now()
	}
	return h
}

// over reports whether the portion has ended.
func (h *hold) over() bool { return h.messages <= 0 || h.bytes <= 0 }

// took notes what was sent, and adapts the size of the next portion.
func (h *hold) took(messages, bytes int) {
	h.messages -= messages
	h.bytes -= bytes
	h.sent += messages
	if h.began.IsZero() {
		return
	}
	switch took := time.Since(h.began); {
	case took > portionTime:
		*h.size = max(portion(time.Duration(h.sent)*portionTime/took), 1)
	case h.messages <= 0 && took < portionTime/4:
		*h.size = min(2**h.size, portionMost)
	}
}
