package load

import (
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// pingpong keeps a window of messages under way: each reply lets the next message
// go. With a window of 1 it measures what a round trip takes on an idle path. The clock
// is looked at for each, also for those that are not timed: it says when the time is over.
func (c *client) pingpong(window int, when span, s *seen) error {
	s.rtt = record.NewHistogram()
	sent := make([]time.Duration, window) // when, by number modulo the window
	now, out, in := pace.Now(), 0, 0
	counted := int64(0) // messages sent that count
	for {
		for out-in < window && c.goesOn(when, now, counted) {
			if now >= when.from {
				if counted == 0 {
					when.begun()
				}
				counted++
			}
			sent[out%window] = now
			if err := c.send(); err != nil {
				return err
			}
			out++
			if window > 1 {
				now = pace.Now()
			}
		}
		if in == out {
			return nil
		}
		if _, err := c.recv(); err != nil {
			return err
		}
		now = pace.Now()
		if before := sent[in%window]; before >= when.from {
			s.messages++
			s.last = now
			if s.timed.next() {
				record.Observe(s.rtt, now-before)
				s.live.observe(now-before, s.size)
			} else {
				s.live.add(1, int64(s.size))
			}
		}
		in++
	}
}

// goesOn reports whether another message is to be sent: of a time that the machine stood
// still for, too, one counts.
func (c *client) goesOn(when span, now time.Duration, counted int64) bool {
	if when.count > 0 {
		return counted < when.count
	}
	return now < when.to || counted == 0
}
