package replay

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

const (
	maxReplays = 128      // replays at a time, each with a goroutine and a batch
	chunkSize  = 64       // messages that are sent in one call
	chunkBytes = 64 << 10 // bytes that are copied while Publish has to wait
)

// stalledAfter is how long a requester may take nothing before its replay is given up.
var stalledAfter = 30 * time.Second

// A replay is what one requester gets. Its goroutine sends it. Publisher.mu guards next,
// end and ended.
type replay struct {
	id        string
	next, end uint64 // the numbers that are still to be sent
	ended     bool   // the end mark was put into the batch

	parts   [5][]byte // of the message that is put into the batch
	number  [8]byte
	payload []byte
}

// serve receives requests until the socket is closed: the requester's id, an empty part,
// and the number of the first message. It never sends, so no requester delays another. A
// new request replaces the earlier one of the same requester, which has given up waiting.
func (p *Publisher) serve(ctx context.Context) {
	for m, err := range p.replies.Messages(ctx) {
		if err != nil {
			return
		}
		p.mu.Lock()
		r := p.replays[string(m[0].Bytes())]
		switch {
		case len(m) != 3 || m[1].Len() != 0 || m[2].Len() != 8, r == nil && len(p.replays) == maxReplays:
			p.stats.Refused++
		case r == nil:
			r = &replay{id: string(m[0].Bytes()), next: binary.BigEndian.Uint64(m[2].Bytes()), end: p.next}
			p.replays[r.id] = r
			p.group.Go(func() { p.replay(ctx, r) })
		default:
			r.next, r.end, r.ended = binary.BigEndian.Uint64(m[2].Bytes()), p.next, false
		}
		p.mu.Unlock()
	}
}

// replay sends the messages that were asked for and then the end mark. It ends early when
// the requester is gone or takes nothing for too long, and when the Publisher is closed.
func (p *Publisher) replay(ctx context.Context, r *replay) {
	batch := zmq.NewBatch(chunkSize)
	defer batch.Close()
	r.parts[0], r.parts[3] = []byte(r.id), r.number[:]
	for p.fill(r, batch) {
		limited, cancel := context.WithTimeout(ctx, stalledAfter)
		sent, err := p.replies.SendBatch(limited, batch)
		cancel()
		if err != nil && (sent == 0 || limited.Err() == nil) {
			p.mu.Lock()
			delete(p.replays, r.id)
			p.mu.Unlock()
			return
		}
	}
}

// fill puts the next messages into the batch, and the end mark behind the last one. It
// removes the replay and returns false when all was sent.
func (p *Publisher) fill(r *replay, batch *zmq.Batch) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	r.next = max(r.next, p.oldest())
	for bytes := 0; !r.ended && batch.Len() < chunkSize && bytes < chunkBytes; {
		seq := uint64(endMark)
		r.parts[2], r.payload = nil, r.payload[:0]
		if r.next < r.end {
			seq, r.parts[2] = r.next, p.topic
			r.payload = p.ring.Payload(r.payload, int(r.next-p.oldest()))
		}
		r.parts[4] = r.payload
		binary.BigEndian.PutUint64(r.number[:], seq)
		if batch.Append(r.parts[:]...) != nil {
			break // memory is exhausted
		}
		r.next, r.ended = r.next+1, seq == endMark
		bytes += len(r.payload)
	}
	if batch.Len() > 0 {
		return true
	}
	if delete(p.replays, r.id); r.ended {
		p.stats.Replays++
	}
	return false
}
