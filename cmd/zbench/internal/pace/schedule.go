// Package pace says when messages are due, and waits for it.
//
// The schedule is absolute: what happens to one message moves no later one. A
// sender that was held up finds several messages due at once, and each keeps its
// own due time. A token bucket, or a sleep between messages, would forget them,
// and with them the delays that somebody who sends at this rate would have had.
package pace

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// A Schedule says when messages are due. Two that were made alike say the same.
// It is for one goroutine at a time.
type Schedule interface {
	// Next returns when the next message is due, from the start on. It never goes
	// back.
	Next() time.Duration

	// Before returns how many of those that Next has not told of yet are due before t,
	// in a time that does not depend on how many these are. Next is not called after it.
	Before(t time.Duration) int64
}

// The arrivals.
const (
	Uniform = "uniform" // one every 1/rate seconds, the first at once
	Poisson = "poisson" // at random, rate a second in the mean
)

// New returns a schedule of rate messages a second. seed is for Poisson.
func New(arrivals string, rate float64, seed uint64) (Schedule, error) {
	return Share(arrivals, rate, seed, 0, 1)
}

// Share returns the schedule of sender i, counted from 0, of n that send rate messages a
// second together. With Uniform it has every nth message of New's, from number i on: were
// each sender's first one due at once, n messages would be due together, and then none for
// as long as n of them take. With Poisson each sender needs a seed of its own.
func Share(arrivals string, rate float64, seed uint64, i, n int) (Schedule, error) {
	if !(rate > 0) {
		return nil, fmt.Errorf("rate %v: use more than 0 messages a second", rate)
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
	i, step  float64 // the number of the next message, and how many further the one after it is
}

// Next multiplies, since a sum of rounded intervals would drift.
func (u *uniform) Next() time.Duration {
	due := time.Duration(u.i * u.interval)
	u.i += u.step
	return due
}

// Before is Schedule's.
func (u *uniform) Before(t time.Duration) int64 {
	n := int64(max((float64(t)/u.interval-u.i)/u.step, 0))
	due := func(k int64) time.Duration { return time.Duration((u.i + float64(k)*u.step) * u.interval) }
	// Next cuts fractions off, so that this may be too few or too many by a few.
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

// exact is up to how many random arrivals are counted one by one: they take some
// milliseconds. Of more than that the number is drawn from the normal distribution, from
// which Poisson's is then not to be told.
const exact = 1_000_000

// Before is Schedule's. What is still to come is independent of what was.
func (p *poisson) Before(t time.Duration) (n int64) {
	if mean := (float64(t) - p.due) / p.interval; mean > exact {
		return int64(max(math.Round(mean+math.Sqrt(mean)*p.random.NormFloat64()), 0))
	}
	for p.Next() < t {
		n++
	}
	return n
}
