package account

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Ledger enters what was received and says what is wrong with it. All its methods may
// be called by any goroutine.
type Ledger struct {
	mu        sync.Mutex
	producers map[uint32]*book
	report    Report
	streams   map[stream]uint64 // one more than the number that came last
}

// A stream is what one producer sent over one connection. There, order holds.
type stream struct {
	producer   uint32
	connection int
}

// book is what came from one producer.
type book struct {
	seen     []uint64 // one bit a number
	received uint64
	end      uint64 // one more than the highest number that came
}

// Report is what a ledger found.
type Report struct {
	Received  uint64
	Doubled   uint64 // came before
	Reordered uint64 // came after a later one of its producer over the same connection
	Torn      uint64
	Corrupt   uint64
	Skipped   uint64 // missing between two of a producer that came over one connection
	First     error  // the first thing that was wrong, if anything was
}

// Unordered is the connection of messages that several goroutines receive from. Their order is
// unknown.
const Unordered = -1

// Take enters a message that came over a connection. Streams are told apart by that
// number; what shares one must be taken by one goroutine, in order, unless it is
// Unordered.
func (l *Ledger) Take(connection int, parts [][]byte) (producer uint32, number uint64) {
	producer, number, err := Check(parts)
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &l.report
	switch {
	case errors.Is(err, ErrCorrupt):
		r.Corrupt++
		l.first(err)
		return producer, number
	case err != nil:
		r.Torn++
		l.first(err)
		return producer, number
	}
	r.Received++
	if l.producers == nil {
		l.producers, l.streams = map[uint32]*book{}, map[stream]uint64{}
	}
	b := l.producers[producer]
	if b == nil {
		b = new(book)
		l.producers[producer] = b
	}
	word, bit := int(number/64), uint64(1)<<(number%64)
	for len(b.seen) <= word {
		b.seen = append(b.seen, 0)
	}
	if b.seen[word]&bit != 0 {
		r.Doubled++
		l.first(fmt.Errorf("doubled: message %d of %d", number, producer))
		return producer, number
	}
	b.seen[word] |= bit
	b.received++
	b.end = max(b.end, number+1)
	if connection == Unordered {
		return producer, number
	}
	s := stream{producer, connection}
	next, known := l.streams[s]
	switch {
	case number < next:
		r.Reordered++
		l.first(fmt.Errorf("reordered: message %d of %d came after %d", number, producer, next-1))
		return producer, number
	case known:
		r.Skipped += number - next
	}
	l.streams[s] = number + 1
	return producer, number
}

func (l *Ledger) first(err error) {
	if l.report.First == nil {
		l.report.First = err
	}
}

// Report returns what was found so far.
func (l *Ledger) Report() Report {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.report
}

// Received returns how many different messages of a producer came.
func (l *Ledger) Received(producer uint32) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b := l.producers[producer]; b != nil {
		return b.received
	}
	return 0
}

// Has says whether a message came.
func (l *Ledger) Has(producer uint32, number uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.producers[producer]
	return b != nil && number < b.end && b.seen[number/64]&(1<<(number%64)) != 0
}

// Producers lists those of whom anything came.
func (l *Ledger) Producers() []uint32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(maps.Keys(l.producers))
}

// Missing returns how many of a producer's first n messages did not come, and in how
// many runs of neighbours.
func (l *Ledger) Missing(producer uint32, n uint64) (lost, runs uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.producers[producer]
	inRun := false
	for i := range n {
		came := b != nil && i/64 < uint64(len(b.seen)) && b.seen[i/64]&(1<<(i%64)) != 0
		if !came {
			lost++
			if !inRun {
				runs++
			}
		}
		inRun = !came
	}
	return lost, runs
}

// End returns one more than the highest number of a producer that came.
func (l *Ledger) End(producer uint32) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b := l.producers[producer]; b != nil {
		return b.end
	}
	return 0
}

// Forget drops the book of a producer, which long runs need. A later message of the producer
// begins a new book.
func (l *Ledger) Forget(producer uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.producers, producer)
	maps.DeleteFunc(l.streams, func(s stream, _ uint64) bool { return s.producer == producer })
}

// Fault says what must never happen, whatever fails: anything but a loss.
func (r Report) Fault() error {
	if r.Doubled+r.Reordered+r.Torn+r.Corrupt == 0 {
		return nil
	}
	return fmt.Errorf("%d doubled, %d reordered, %d torn, %d corrupt of %d received; first %w",
		r.Doubled, r.Reordered, r.Torn, r.Corrupt, r.Received, r.First)
}
