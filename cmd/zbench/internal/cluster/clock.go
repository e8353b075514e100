package cluster

import (
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// exchanges is how many times a clock is asked for: the fastest says most.
const exchanges = 8

// exchange is a question for an agent's time: when it was asked and the reply came,
// on the coordinator's clock, and what it was.
type exchange struct {
	asked, answered, theirs time.Time
}

// estimate returns what exchanges say of a clock. The reply was made at some moment
// between question and answer; in the middle the error is the least, and the way
// there and back need not take the same.
func estimate(all []exchange) (c record.Clock) {
	for i, e := range all {
		took := e.answered.Sub(e.asked)
		if half := (took + 1) / 2; i == 0 || half < c.Error {
			c = record.Clock{Offset: e.theirs.Sub(e.asked.Add(took / 2)), Error: half}
		}
	}
	return c
}
