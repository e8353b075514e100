package pool

import "math"

// Stats holds the counts of a pool since New.
type Stats struct {
	Gets      int64 // messages handed out
	Hits      int64 // Gets that reused memory
	Misses    int64 // Gets that allocated memory
	Oversized int64 // Misses above MaxSize
	Refused   int64 // Puts of messages that were not handed out: see Put

	Outstanding      int64 // pooled buffers in use by the program or libzmq
	OutstandingBytes int64
	IdleBuffers      int64 // ready for a Get
	IdleBytes        int64
}

// HitRate returns the share of Gets that allocated nothing, from 0 to 1. It returns 1 if
// there were no Gets.
func (s Stats) HitRate() float64 {
	if s.Gets == 0 {
		return 1
	}
	return float64(s.Hits) / float64(s.Gets)
}

// Stats returns the counts, and collects the memory that libzmq has returned. The counts
// are exact while no goroutine uses the pool. After Close, Outstanding counts the buffers
// that have not returned yet.
func (p *Pool) Stats() Stats {
	s := Stats{Oversized: p.oversized.Load(), Refused: p.refused.Load()}
	for i := range p.classes {
		c := &p.classes[i]
		p.collectAll(c, math.MaxInt)
		c.mu.Lock()
		s.Gets += c.gets
		s.Misses += c.misses
		out := c.gets - c.returned
		live := int64(c.home.Live())
		if p.closed.Load() {
			out = live
		}
		s.Outstanding += out
		s.OutstandingBytes += out * int64(c.size)
		s.IdleBuffers += live - out
		s.IdleBytes += (live - out) * int64(c.size)
		c.mu.Unlock()
	}
	s.Hits = s.Gets - s.Misses
	s.Gets += s.Oversized
	s.Misses += s.Oversized
	return s
}
