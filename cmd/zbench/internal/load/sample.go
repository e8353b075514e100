package load

import (
	"math/rand/v2"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// A sampler chooses the messages that are timed: of each n in turn one, drawn anew each
// time. Every nth would be the same of each batch, or of each window, whose size n
// divides. Two that were made alike choose the same.
type sampler struct {
	n, i, chosen int64
	random       *rand.Rand // nil: all are timed
}

// newSampler makes a client's.
func newSampler(m record.Method, client int) sampler {
	if m.Sample <= 1 {
		return sampler{}
	}
	// Beside 0 and 1: the numbers that arrivals at random are of.
	const stream = 2
	return sampler{n: int64(m.Sample), random: rand.New(rand.NewPCG(m.Seed+uint64(client), stream))}
}

// next reports whether the next message is timed.
func (s *sampler) next() bool {
	if s.random == nil {
		return true
	}
	if s.i == 0 {
		s.chosen = s.random.Int64N(s.n)
	}
	chosen := s.i == s.chosen
	if s.i++; s.i == s.n {
		s.i = 0
	}
	return chosen
}
