package task

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// An item is a task that Push accepted. Times are counted from Queue.start.
type item struct {
	id         uint64 // cannot be guessed, so that only those who got the task can end it
	number     uint64 // in the order of Push
	payload    []byte
	deliveries uint32
	attempts   int           // deliveries that were not given back
	since, due time.Duration // when it was pushed, and when its lease ends
	worker     *peer         // that has it
	why        error         // why the last attempt failed
	dead       bool          // there is no other attempt
	buried     bool          // Dead has it
}

// A peer is a worker, seen from the queue.
type peer struct {
	id     []byte // the routing ID
	window int    // how many items it wants at a time
	under  int    // how many it has
	full   bool   // libzmq has no room for another message to it
	queued bool   // is in Queue.ready
}

// receive enters what the workers say and ends leases, until the queue is closed or the
// socket fails.
func (q *Queue) receive(tick time.Duration) {
	b := zmq.NewBatch(128) // which bounds how long the lock is held
	defer b.Close()
	for last := time.Now(); ; {
		_, err := q.router.RecvBatch(q.ctx, b)
		if err != nil && !errors.Is(err, zmq.ErrAgain) {
			if q.ctx.Err() == nil {
				q.fail(err)
			}
			return
		}
		q.mu.Lock()
		for _, m := range b.All() {
			if !q.hear(m) {
				q.stats.Malformed++
			}
		}
		if now := time.Now(); now.Sub(last) >= tick {
			last = now
			q.retry(q.sorted(func(it *item) bool { return it.worker != nil && it.due <= now.Sub(q.start) }), errLapsed, true)
			for _, w := range q.peers {
				w.full = false
				q.offer(w)
				if q.probes > 0 {
					q.greet(w)
				}
			}
			q.probes = max(q.probes-1, 0)
		}
		q.pump()
		q.mu.Unlock()
	}
}

// watch looks at the connections. When one ends, the socket may say which worker that was.
// Otherwise the queue looks at once for the one that has left, and a few times more, as libzmq
// may report the end before the socket knows it.
func (q *Queue) watch() {
	for e, err := range q.monitor.Events(q.ctx) {
		if err != nil {
			return
		}
		q.mu.Lock()
		if e.Peer.RoutingID != nil {
			q.leave(e.Peer.RoutingID)
		} else {
			for _, w := range q.peers {
				if q.probes == 0 { // so that many ends do not cause many more messages
					q.greet(w)
				}
			}
			q.probes = lostProbes
		}
		q.pump()
		q.mu.Unlock()
	}
}

// hear enters one message. It reports whether it is of the protocol. q.mu is held, here and in
// all functions below but bury.
func (q *Queue) hear(m zmq.Multipart) bool {
	if len(m) < 2 || m[1].Len() == 0 {
		return false
	}
	command, rest := m[1].Bytes()[0], m[1].Bytes()[1:]
	switch {
	case command == cmdReady && len(rest) == 4:
		q.announce(m[0].Bytes(), int(min(bigEndian.Uint32(rest), maxWindow)))
		return true
	case command == cmdBye && len(rest) == 0:
		q.leave(m[0].Bytes())
		return true
	case command == cmdExtend && len(rest) > 4:
		due := time.Since(q.start) + time.Duration(bigEndian.Uint32(rest))*time.Millisecond
		return q.answer(command, rest[4:], due, "")
	case len(m) > 2:
		return q.answer(command, rest, 0, string(m[2].Bytes()[:min(m[2].Len(), maxReason)]))
	}
	return q.answer(command, rest, 0, "")
}

// answer enters what a worker says about its deliveries.
func (q *Queue) answer(command byte, receipts []byte, due time.Duration, reason string) bool {
	if len(receipts) == 0 || len(receipts)%receiptSize != 0 || len(receipts) > maxWindow*receiptSize {
		return false
	}
	switch command {
	case cmdAck:
		for ; len(receipts) > 0; receipts = receipts[receiptSize:] {
			if it := q.items[bigEndian.Uint64(receipts)]; it != nil && !it.buried {
				q.stats.Acknowledged++ // whichever delivery it was, the work is done
				q.forget(it)
			} else {
				q.stats.Late++
			}
		}
	case cmdNack:
		q.retry(q.underWay(receipts), errors.New(cmp.Or(reason, "the worker gave no reason")), false)
	case cmdReturn:
		q.retry(q.underWay(receipts), nil, true)
	case cmdExtend:
		for _, it := range q.underWay(receipts) {
			it.due = max(it.due, due)
		}
	default:
		return false
	}
	return true
}

// underWay returns the items whose present deliveries have these receipts.
func (q *Queue) underWay(receipts []byte) (found []*item) {
	for ; len(receipts) > 0; receipts = receipts[receiptSize:] {
		it := q.items[bigEndian.Uint64(receipts)]
		if it != nil && it.worker != nil && it.deliveries == bigEndian.Uint32(receipts[8:]) {
			found = append(found, it)
		} else {
			q.stats.Late++
		}
	}
	return found
}

// announce enters a worker, or its new window, and answers it.
func (q *Queue) announce(id []byte, window int) {
	w := q.peers[string(id)]
	if w == nil {
		w = &peer{id: slices.Clone(id)}
		q.peers[string(id)] = w
	}
	w.window = window
	q.offer(w)
	q.greet(w)
}

// greet says hello to a worker, which shows whether it is still there.
func (q *Queue) greet(w *peer) {
	if errors.Is(say(q.router, w.id, []byte{cmdHello}), zmq.ErrHostUnreachable) {
		q.leave(w.id)
	}
}

// leave drops a worker and takes back its items.
func (q *Queue) leave(id []byte) {
	if w := q.peers[string(id)]; w != nil {
		delete(q.peers, string(id))
		w.window = 0
		q.ready = slices.DeleteFunc(q.ready, func(other *peer) bool { return other == w })
		q.retry(q.sorted(func(it *item) bool { return it.worker == w }), errLeft, true)
	}
}

// sorted returns the items that fulfil a condition in the order of Push.
func (q *Queue) sorted(which func(*item) bool) (found []*item) {
	for _, it := range q.items {
		if which(it) {
			found = append(found, it)
		}
	}
	slices.SortFunc(found, func(a, b *item) int { return cmp.Compare(a.number, b.number) })
	return found
}

// retry ends the attempts of items. They wait again, before or after the others, unless this
// was the last attempt. Without a reason, the attempt was not begun and does not count.
func (q *Queue) retry(ended []*item, why error, first bool) {
	again := ended[:0]
	for _, it := range ended {
		if it.worker == nil {
			continue // it is in the list twice
		}
		q.lift(it)
		q.waiting++
		if why == nil {
			it.attempts--
		}
		it.why = cmp.Or(why, it.why)
		if q.config.MaxAttempts > 0 && it.attempts >= q.config.MaxAttempts {
			it.dead = true
			go q.bury(it)
		} else {
			again = append(again, it)
		}
	}
	if first {
		q.pending = slices.Insert(q.pending, 0, again...)
	} else {
		q.pending = append(q.pending, again...)
	}
}

// bury gives an item to Dead. It counts as one that waits until then, so that a slow Dead
// delays Push.
func (q *Queue) bury(it *item) {
	q.burial.Lock()
	defer q.burial.Unlock()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.items[it.id] != it {
		return // acknowledged late, or among those that Close has returned
	}
	q.lift(it)
	it.buried = true
	q.stats.Dead++
	q.mu.Unlock()
	defer func() { // also if Dead ends its goroutine
		q.mu.Lock()
		q.waiting++ // as lift counts it off again
		q.forget(it)
	}()
	q.config.Dead(it.payload, it.attempts, it.why)
}

// lift takes an item from its worker, or from those that wait.
func (q *Queue) lift(it *item) {
	if w := it.worker; w != nil {
		it.worker = nil
		w.under--
		w.full = false // it reads
		q.offer(w)
		return
	}
	q.waiting--
	q.room.Signal()
}

// forget ends an item.
func (q *Queue) forget(it *item) {
	q.lift(it)
	delete(q.items, it.id)
	for d := range q.drains {
		if it.number <= d.last {
			if d.left--; d.left == 0 {
				q.drained.Broadcast()
			}
		}
	}
}

// offer gives a worker a turn if it has room.
func (q *Queue) offer(w *peer) {
	if !w.queued && !w.full && w.under < w.window {
		w.queued = true
		q.ready = append(q.ready, w)
	}
}

// pump sends items to the workers, each in turn, while there are both.
func (q *Queue) pump() {
	for len(q.pending) > 0 && len(q.ready) > 0 {
		it, w := q.pending[0], q.ready[0]
		if q.items[it.id] != it {
			q.pending[0], q.pending = nil, q.pending[1:]
			continue
		}
		if w.full || w.under >= w.window {
			w.queued = false
			q.ready = q.ready[1:]
			continue
		}
		head := append(make([]byte, 0, taskSize), cmdTask)
		head = bigEndian.AppendUint32(bigEndian.AppendUint64(head, it.id), it.deliveries+1)
		head = milliseconds(bigEndian.AppendUint32(head, uint32(it.attempts+1)), q.config.Lease)
		switch err := say(q.router, w.id, head, it.payload); {
		case err == nil:
			q.pending[0], q.pending = nil, q.pending[1:]
			q.lift(it)
			it.worker, it.due = w, time.Since(q.start)+q.config.Lease
			it.attempts++
			w.under++
			if it.deliveries++; it.deliveries > 1 {
				q.stats.Redelivered++
			}
			copy(q.ready, q.ready[1:])
			q.ready[len(q.ready)-1] = w
		case errors.Is(err, zmq.ErrHostUnreachable):
			q.leave(w.id)
		case errors.Is(err, zmq.ErrAgain):
			w.full = true
		default:
			return // the socket is closed, or its context was shut down
		}
	}
}
