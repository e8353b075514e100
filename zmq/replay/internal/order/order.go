// Package order puts the messages of a publisher in order and decides what to ask for.
package order

import (
	"hash/maphash"
	"math/rand/v2"
	"time"
)

const (
	// patience is how long a request waits for a message that was missing before it is
	// sent again. It doubles with each request that brings none, up to maxPatience.
	patience    = 500 * time.Millisecond
	maxPatience = 8 * time.Second
	// trustAfter is how long requests may bring nothing before a publisher counts as the
	// same as before, although no answer has shown it.
	trustAfter = 5 * time.Second
	// silence is the time without a message after which an answer has ended without a mark.
	silence = 10 * time.Second
	// spread is the longest wait before a request, so that subscribers that miss the same
	// messages do not ask all at once.
	spread = 20 * time.Millisecond
	// remembered is how many of the last messages can be compared with copies of them. It
	// is larger than the queues of two sockets with the default HWM.
	remembered = 4096
	// More live messages than maxHeld, or of more than maxBytes, stay in the socket.
	maxHeld  = 8192
	maxBytes = 16 << 20
)

// lostAfter is how long requests may bring nothing, while the publisher is connected,
// before a gap counts as lost.
const lostAfter = time.Minute

// Sequence puts the messages of a publisher in order. It has neither sockets nor a lock:
// a Subscriber passes it what arrives, and sends the requests that it wants.
//
// The format has no name for a run of a publisher. The content of a message with a known
// number shows whether a publisher is still the same, so a request normally begins with
// the last message that is known.
type Sequence struct {
	fromNow bool   // the first live message is the first one
	known   bool   // next has a meaning
	next    uint64 // the number of the next message in order
	Out     []Output
	Stats   Stats

	live      uint64    // one more than the greatest number that came live
	held      []Message // live messages behind a gap, in order
	heldBytes int
	doubtful  bool // there may be a new publisher: the held messages wait for an answer
	old       int  // if so: how many of them came before the doubt

	seed   maphash.Seed
	from   uint64             // the number of the first message
	hashes [remembered]uint64 // of the last messages, by number; 0: never seen

	Ask    Ask
	inside bool      // the last message of an answer was not its end mark
	heard  time.Time // when it came
	silent bool      // a gap was given up, and no request has brought anything since
}

// Message is a message of the publisher.
type Message struct {
	Seq      uint64
	Topic    string
	Payload  []byte
	Replayed bool
}

// Output is the next message in order or, with another Kind, a report.
type Output struct {
	Message
	Kind     Kind
	From, To uint64 // Lost: the numbers. Restart: the number that was next, and the one that came
}

// Kind is the kind of an Output.
type Kind int

const (
	Next    Kind = iota // the next message
	Lost                // messages are lost
	Restart             // there is a new publisher
)

// Stats holds the counts of a Sequence.
type Stats struct{ Delivered, Replayed, Lost, Restarts, Requests, Dropped uint64 }

// An Ask is a request that is to be sent, or that was sent and whose end mark has not come.
type Ask struct {
	Active bool // it is to be sent, or was
	Sent   bool
	Due    time.Time // when it is sent, or sent again
	since  time.Time // when a request last brought something, or the first was due
	Tries  int       // requests since then
	from   uint64    // the number that was asked for
	base   bool      // it asks for everything, as the publisher lacks the last message
	exact  bool      // it asks for the next message, as there was no room for more than the last

	quiet bool // nothing has come live since before the first request
	clean bool // it was sent between two answers
	came  bool // a message came since then
	more  bool // another request is to follow: this one was too early, or brought something
	doubt bool // an answer to a repeated request began too late, but may have been incomplete
}

// New returns the Sequence of a publisher. With fromNow, the first message that comes live is
// the first one. Otherwise it is the one of Begin or, without it, the oldest one.
func New(fromNow bool) *Sequence {
	s := &Sequence{fromNow: fromNow, seed: maphash.MakeSeed()}
	if !fromNow {
		s.again(time.Now(), 0)
	}
	return s
}

// Begin makes a number the first one, or that of the first held message.
func (s *Sequence) Begin(first uint64) {
	if len(s.held) > 0 {
		first = min(first, s.held[0].Seq)
	}
	s.known, s.next, s.from, s.live = true, first, first, max(s.live, first)
}

// Take takes a message that was published just now. Its payload is copied if it is needed.
func (s *Sequence) Take(m Message, now time.Time) {
	n := len(s.held)
	if !s.known && n == 0 && (s.fromNow || m.Seq == 0) {
		s.Begin(m.Seq)
	}
	if s.known && m.Seq < s.next {
		if s.late(m) {
			return
		}
		s.restart(m.Seq, n)
		n = 0
	}
	s.live, s.Ask.quiet = max(s.live, m.Seq+1), false
	switch {
	case n > 0 && m.Seq <= s.held[n-1].Seq:
		// Numbers went back: this is a new publisher, or a message that another connection
		// has delayed. A request brings it again in both cases.
		if s.Stats.Dropped++; !s.doubtful {
			s.Doubt(now)
		}
		return
	case m.Seq == s.next && s.known && n == 0 && !s.doubtful:
		s.deliver(own(m))
		return
	}
	s.hold(m, now)
}

// hold keeps a live message until those before it are there, which are asked for.
func (s *Sequence) hold(m Message, now time.Time) {
	s.Ask.more = s.Ask.more || len(s.held) == 0
	s.held = append(s.held, own(m))
	s.heldBytes += len(m.Payload)
	if !s.Ask.Active {
		s.again(now, rand.N(spread))
	}
}

// late reports whether a live message whose number is less than next is one that came
// before, and not one of a new publisher. A number that is greater than those that came
// live is only late: an answer had it first, or it was given up.
func (s *Sequence) late(m Message) bool {
	known, same := s.recall(m)
	if !same && (known || m.Seq < s.live) {
		return false
	}
	s.Stats.Dropped++
	s.live = max(s.live, m.Seq+1)
	return true
}

func own(m Message) Message {
	m.Payload = append([]byte{}, m.Payload...)
	return m
}

// Doubt notes that a new publisher may have come, whose numbers may even fit. What is held
// waits until an answer shows whether it has the last message.
func (s *Sequence) Doubt(now time.Time) {
	if s.known && s.next > s.from {
		s.doubtful, s.old = true, len(s.held)
		s.again(now, rand.N(spread))
		s.Ask.since, s.Ask.exact = now, false
	}
}

// trust ends the doubt, and delivers the held messages whose turn it is.
func (s *Sequence) trust() {
	for s.doubtful = false; s.known && len(s.held) > 0 && s.held[0].Seq <= s.next; {
		if m := s.pop(); m.Seq == s.next {
			s.deliver(m)
		}
	}
}

func (s *Sequence) pop() (m Message) {
	m, s.held[0] = s.held[0], m
	s.held = s.held[1:]
	s.heldBytes -= len(m.Payload)
	return m
}

// deliver puts the next message in order.
func (s *Sequence) deliver(m Message) {
	s.hashes[m.Seq%remembered] = s.hash(m)
	s.next = m.Seq + 1
	if s.Stats.Delivered++; m.Replayed {
		s.Stats.Replayed++
	}
	s.Out = append(s.Out, Output{Message: m})
}

// lack reports the messages before number seq as lost, except those that are held. Those
// behind all held ones may still come live.
func (s *Sequence) lack(seq uint64) {
	if !s.known {
		s.Begin(seq)
	}
	for s.trust(); s.next < seq; s.trust() {
		end := seq
		if len(s.held) > 0 {
			end = min(end, s.held[0].Seq)
		} else if !s.Ask.quiet {
			return
		}
		s.Out = append(s.Out, Output{Kind: Lost, From: s.next, To: end - 1})
		s.Stats.Lost += end - s.next
		for n := max(s.next, end-min(end, remembered)); n < end; n++ {
			s.hashes[n%remembered] = 0
		}
		s.next = end
	}
}

func (s *Sequence) hash(m Message) uint64 { return maphash.Bytes(s.seed, m.Payload) | 1 }

// recall compares a message whose number is less than next with the one that came before.
// It does not know messages from long ago, and takes lost ones for the same.
func (s *Sequence) recall(m Message) (known, same bool) {
	known = m.Seq >= s.from && s.next-m.Seq <= remembered
	h := s.hashes[m.Seq%remembered]
	return known, known && (h == 0 || h == s.hash(m))
}

// restart begins anew with a new publisher. The first old messages that are held are of
// the one before.
func (s *Sequence) restart(seen uint64, old int) {
	kept := s.held[old:]
	if s.held = s.held[:old]; old > 0 {
		s.lack(s.held[old-1].Seq)
	}
	s.trust()
	s.held, s.heldBytes = kept, 0
	for _, m := range kept {
		s.heldBytes += len(m.Payload)
	}
	s.Out = append(s.Out, Output{Kind: Restart, From: s.next, To: seen})
	s.Stats.Restarts++
	s.live, s.Ask = 0, Ask{}
	s.Begin(0)
}

// again makes a request due.
func (s *Sequence) again(now time.Time, after time.Duration) {
	a := &s.Ask
	if !a.Active && !s.silent {
		*a = Ask{since: now, quiet: len(s.held) == 0}
	}
	a.Active, a.Sent, a.Due = true, false, now.Add(after)
}

// patience returns how long to wait. It varies, so that subscribers do not stay in step.
func (a *Ask) patience() time.Duration {
	d := min(patience<<min(a.Tries, 8), maxPatience)
	return d/2 + rand.N(d)
}

// Silent notes that nothing came for long: a request shows whether the last messages are
// missing.
func (s *Sequence) Silent(now time.Time) {
	if s.known || !s.fromNow {
		s.again(now, rand.N(spread))
	}
}

// Away notes that the publisher is not connected, so that a request makes no sense, and
// that it did not answer does not mean that it has nothing.
func (s *Sequence) Away(now time.Time) {
	s.Ask.since, s.Ask.Due = now, now.Add(rand.N(spread))
}

// Held returns how many messages wait for those before them.
func (s *Sequence) Held() int { return len(s.held) }

// Full reports whether no more messages should be taken until those that are held have
// been delivered.
func (s *Sequence) Full() bool { return len(s.held) >= maxHeld || s.heldBytes >= maxBytes }

// Cut notes that the requests have a new connection: no answer goes on that came before.
func (s *Sequence) Cut() { s.inside, s.Ask.exact = false, false }

// Request notes that a request is sent, and returns the number to ask for: normally that of
// the last known message, and that of the next one if this did not help.
func (s *Sequence) Request(now time.Time) uint64 {
	a := &s.Ask
	switch {
	case !s.known || a.base:
		a.from = 0
	case !a.exact && s.next > 0:
		a.from = s.next - 1
	default:
		a.from = s.next
	}
	a.Sent, a.clean, a.came, a.more, a.Due = true, !s.inside, false, false, now.Add(a.patience())
	a.Tries++
	s.Stats.Requests++
	return a.from
}

// Answer takes a message of an answer. Its payload is copied if it is needed. An answer is
// in order and complete, unless a full queue swallowed a part of it.
func (s *Sequence) Answer(m Message, now time.Time) {
	a := &s.Ask
	first := !s.inside
	s.heard = now
	if s.inside = true; !a.Sent && (s.doubtful || !s.known || m.Seq != s.next) {
		return // of an answer to an earlier request: only the next message is of use
	}
	a.came, m.Replayed = true, true
	if !s.known {
		s.Begin(m.Seq)
	}
	if m.Seq < s.next {
		s.compare(m, now)
		return
	}
	if first = first && m.Seq > s.next; first && (a.doubt || a.Tries <= 1) {
		s.lack(m.Seq)
	} else if first {
		a.doubt = true // the queue may have swallowed the beginning: see whether it stays the same
	}
	if a.more = a.more || a.quiet || len(s.held) > 0; m.Seq == s.next {
		a.more = true
		s.deliver(own(m))
		s.trust()
		s.silent, a.exact, a.since, a.Tries, a.Due = false, false, now, 0, now.Add(patience)
	}
}

// compare takes a message of an answer whose number is less than next. It shows whether the
// publisher is the same as before.
func (s *Sequence) compare(m Message, now time.Time) {
	if known, same := s.recall(m); same || !known && !s.Ask.base {
		s.Stats.Dropped++
		s.trust()
		return
	}
	if !s.doubtful {
		s.old = len(s.held)
	}
	s.restart(m.Seq, s.old)
	s.again(now, 0)
}

// unknown reports whether an empty answer shows that the publisher lacks the last message,
// although no live message has come since, or only one that may be of a new publisher.
func (s *Sequence) unknown(empty bool) bool {
	return empty && s.Ask.from > 0 && (s.doubtful || len(s.held) == 0)
}

// End takes an end mark. Another request follows if this one was too early, brought
// something or did not fill the gap.
func (s *Sequence) End(now time.Time) {
	a := &s.Ask
	if s.inside = false; !a.Sent {
		return
	}
	empty, base := !a.came && a.clean, a.base
	a.more, a.base, a.exact = a.more || !a.clean, false, a.Tries > 0 && a.came
	if s.unknown(empty && !base) {
		a.base = true // it lacks the last message: it may have begun anew
		s.again(now, 0)
		return
	}
	s.trust()
	if gap := len(s.held) > 0; gap && !a.more && empty && a.Tries > 1 {
		s.lack(s.held[0].Seq) // it publishes, but has nothing from next on
		a.Tries = 0
	}
	if a.Active = a.more || len(s.held) > 0; !a.Active {
		return
	}
	s.again(now, a.pause())
}

// pause returns how long to wait before the next request: not at all, unless two have
// brought nothing.
func (a *Ask) pause() time.Duration {
	if a.Tries > 1 {
		return a.patience()
	}
	return 0
}

// Overdue notes that a request was not answered in time. The doubt about the publisher ends
// soon, because it may not answer requests at all, and a gap ends after long.
func (s *Sequence) Overdue(now time.Time) {
	a := &s.Ask
	if now.Sub(a.since) > trustAfter {
		s.trust()
	}
	a.exact = a.Tries > 0 && a.came
	s.inside = s.inside && now.Sub(s.heard) < silence
	if len(s.held) > 0 && now.Sub(a.since) > lostAfter {
		s.lack(s.held[0].Seq)
		s.silent, a.Tries, a.Active = true, 0, len(s.held) > 0
	}
}
