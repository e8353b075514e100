// Package pace says when messages are due, and waits for it.
//
// The schedule is absolute: a delay of one message moves no later one. A sender that was
// delayed finds several messages due at once, and each keeps its own due time. A token
// bucket, or a sleep between messages, would skip them, and hide their delays.
package pace

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// A Schedule says when messages are due. Only one goroutine at a time may use it. Two
// schedules with the same arguments are equal.
type Schedule interface {
	// Next returns when the next message is due, counted from the start. It never
	// decreases.
	Next() time.Duration

	// Before returns how many messages that Next has not returned are due before t. Its
	// run time does not depend on their number. Next must not be called after it.
	Before(t time.Duration) int64
}

// The arrivals.
const (
	Uniform = "uniform" // one every 1/rate seconds, the first one immediately
	Poisson = "poisson" // at random times, rate per second on average
)

// New returns a schedule of rate messages per second. seed is for Poisson.
func New(arrivals string, rate float64, seed uint64) (Schedule, error) {
	return Share(arrivals, rate, seed, 0, 1)
}

// Share returns the schedule of sender i, counted from 0, of n senders that send rate
// messages per second together. With Uniform it has every nth message of New's, beginning
// with number i, so that the senders take turns. With Poisson each sender needs a seed of
// its own.
func Share(arrivals string, rate float64, seed uint64, i, n int) (Schedule, error) {
	if !(rate > 0) {
		return nil, fmt.Errorf("rate %v: use more than 0 messages per second", rate)
	}
	interval := float64(time.Second) / rate
	switch arrivals {
	case Uniform:
		return &uniform{interval: interval, i: float64(i), step: float64(n)}, nil
	case Poisson:
		return &poisson{interval: interval * float64(n), random: rand.New(rand.NewPCG(seed, 1))}, nil
	}
	return nil, fmt.Errorf("unknown arrivals %q; use %q or %q", arrivals, Uniform, Poisson)
}

type uniform struct {
	interval float64
	i, step  float64 // the number of the next message, and the distance to the one after it
}

// Next multiplies, because a sum of rounded intervals would drift.
func (u *uniform) Next() time.Duration {
	due := time.Duration(u.i * u.interval)
	u.i += u.step
	return due
}

// Before implements Schedule.
func (u *uniform) Before(t time.Duration) int64 {
	n := int64(max((float64(t)/u.interval-u.i)/u.step, 0))
	due := func(k int64) time.Duration { return time.Duration((u.i + float64(k)*u.step) * u.interval) }
	// Next cuts off fractions, so n may be wrong by a few.
	for n > 0 && due(n-1) >= t {
		n--
	}
	for due(n) < t {
		n++
	}
	return n
}

type poisson struct {
	interval, due float64
	random        *rand.Rand
}

func (p *poisson) Next() time.Duration {
	p.due += p.random.ExpFloat64() * p.interval
	return time.Duration(p.due)
}

// exact is up to how many random arrivals are counted one by one, which takes some
// milliseconds. The number of more arrivals is drawn from the normal distribution, which is
// then close to Poisson's.
const exact = 1_000_000

// Before implements Schedule. The arrivals to come do not depend on the earlier ones.
func (p *poisson) Before(t time.Duration) (n int64) {
	if mean := (float64(t) - p.due) / p.interval; mean > exact {
		return int64(max(math.Round(mean+math.Sqrt(mean)*p.random.NormFloat64()), 0))
	}
	for p.Next() < t {
		n++
	}
	return n
}
