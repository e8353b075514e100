package pool

import "math"

// Stats are the counts of a pool. Those that grow start at New.
type Stats struct {
	Gets      int64 // messages handed out
	Hits      int64 // with memory that was there
	Misses    int64 // for which memory was allocated
	Oversized int64 // Misses above MaxSize
	Refused   int64 // messages put that were not out: see Put

	Outstanding      int64 // pooled buffers that are out, or in libzmq's hands
	OutstandingBytes int64
	IdleBuffers      int64 // ready for a Get
	IdleBytes        int64
}

// HitRate returns the share of Gets that allocated nothing, 1 if there were none.
func (s Stats) HitRate() float64 {
	if s.Gets == 0 {
		return 1
	}
	return float64(s.Hits) / float64(s.Gets)
}

// Stats returns the counts, and takes in what has come back. They are exact while
// nobody uses the pool. After Close, Outstanding is what has yet to come back and
// be freed.
func (p *Pool) Stats() Stats {
	for i := range p.classes {
		p.collectAll(i, math.MaxInt)
	}
	// Before the Gets, so that none counts as returned and not as handed out.
	var returned [maxClasses]int64
	for i := range p.classes {
		returned[i] = p.classes[i].returned.Load()
	}
	s := Stats{Oversized: p.oversized.Load(), Refused: p.refused.Load()}
	p.mu.Lock()
	gets := p.gone
	for sh := range p.all {
		sh.mu.Lock()
		for i := range sh.gets {
			gets[i] += sh.gets[i]
		}
		sh.mu.Unlock()
	}
	p.mu.Unlock()
	for i := range p.classes {
		c := &p.classes[i]
		s.Gets += gets[i]
		s.Misses += c.misses.Load()
		out := gets[i] - returned[i]
		if c.home == nil {
			continue
		}
		live := int64(c.home.Live())
		if p.closed.Load() {
			out = live
		}
		s.Outstanding += out
		s.OutstandingBytes += out * int64(c.size)
		s.IdleBuffers += live - out
		s.IdleBytes += (live - out) * int64(c.size)
	}
	s.Hits = s.Gets - s.Misses
	s.Gets += s.Oversized
	s.Misses += s.Oversized
	return s
}
