package load

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/internal/workload"
	"github.com/go-zmq/go-zmq/zmq"
)

// A stream is throughput whose ends are in different processes: PUSH sockets that
// send as fast as they can, and a PULL socket that counts what comes.

const (
	// streamBatch is how many messages cross into C at once: what package workload's
	// receivers take.
	streamBatch = 256
	// flush is how long a sender that is done waits for its last messages to be taken.
	flush = 10 * time.Second
)

// Collect counts the messages of a number of senders that are elsewhere, until each
// has said that it is done. What comes in the warm-up, which begins with the first
// message, does not count as Messages, unless a count ends the run; total is all that
// came. ready is called with
// what the senders have to know.
func Collect(ctx context.Context, cell record.Cell, method record.Method, host string, senders int, ready func(Peer) error) (r record.Run, total int64, err error) {
	contextSettings, settings, err := options(cell.Options)
	if err != nil {
		return r, 0, err
	}
	zctx, err := zmq.NewContext(contextSettings...)
	if err != nil {
		return r, 0, err
	}
	e := &ends{shape: shapes[cell.Pattern], ctx: zctx, size: cell.Size, parts: max(cell.Parts, 1), host: host}
	defer func() { err = errors.Join(err, e.close()) }()
	peer, err := e.bind(cell, append([]zmq.Setting{zmq.Linger.To(0)}, settings...))
	if err != nil {
		return r, 0, err
	}
	defer context.AfterFunc(ctx, e.stop)()
	if err := ready(*peer); err != nil {
		return r, 0, err
	}
	r = record.Run{Cell: cell, Method: method, Start: time.Now().UTC()}
	total, err = e.collect(&r, senders)
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return r, total, err
}

// collect is the receiver's loop. The clock is looked at once a batch.
func (e *ends) collect(r *record.Run, senders int) (total int64, err error) {
	all := zmq.NewBatch(streamBatch)
	first := zmq.NewBatch(1) // with which the time begins
	defer func() { err = errors.Join(err, all.Close(), first.Close()) }()
	var used usage
	var from, to time.Duration // of what counts
	var begin, last time.Duration
	for senders > 0 {
		in := all
		if total == 0 {
			in = first
		}
		if _, err := e.server.RecvBatch(context.Background(), in); err != nil {
			return total, err
		}
		now, n := pace.Now(), int64(0)
		for _, m := range in.All() {
			size := 0
			for i := range m {
				size += m[i].Len()
			}
			switch {
			case size == e.size && len(m) == e.parts:
				n++
			case size == e.size+1 && len(m) == 1:
				senders--
			default:
				return total, errIntegrity
			}
		}
		if n > 0 {
			last = now
		}
		if total == 0 && n > 0 {
			begin = now
			from = now + r.Method.Warmup
			to = from + r.Method.Duration
			if r.Method.Count > 0 {
				// The senders' warm-up ends at a moment that is not known here, and what
				// they count may be over by then: all counts but the first message.
				from = now + 1
			}
			used.read()
		}
		total += n
		if now < from {
			used.read()
			continue
		}
		switch {
		case r.Method.Count > 0 || now <= to || r.Messages == 0:
			// When the machine stood still for all of the time, what comes next counts.
			r.Messages += n
			r.Elapsed = max(now-from, 1)
		case n > 0:
			// In what was left of the time nothing came.
			r.Elapsed = max(r.Elapsed, to-from)
		}
	}
	switch {
	case r.Messages > 0:
	case r.Method.Count > 0:
		return total, errors.New("not one message came after the first; measure more of them (--count)")
	case total > 1:
		// The senders stood still, and had no time left but for what they had to send at least.
		r.Messages, r.Elapsed = total-1, max(last-begin, 1)
		r.Warnings = append(r.Warnings, "all came in the time of the warm-up; measure for longer (--duration)")
	default:
		return total, errors.New("not one message came after the first; measure for longer (--duration)")
	}
	used.until(r)
	r.Bytes = r.Messages * int64(e.size)
	return total, nil
}

// SendStream sends to a receiver that is elsewhere, from as many sockets as the cell has
// senders, as fast as they go: for the warm-up and the duration, or, after the
// warm-up, the count. It returns how many messages were sent, and how long that
// took.
func SendStream(ctx context.Context, cell record.Cell, method record.Method, peer Peer) (sent int64, took time.Duration, err error) {
	contextSettings, settings, err := options(cell.Options)
	if err != nil {
		return 0, 0, err
	}
	text, err := ReadPayload(method.Payload)
	if err != nil {
		return 0, 0, err
	}
	zctx, err := zmq.NewContext(contextSettings...)
	if err != nil {
		return 0, 0, err
	}
	settings = append(append(keys{public: peer.Key}.client(), zmq.Linger.To(0)), addressed(peer.Endpoint, settings)...)
	var sockets []*zmq.Socket
	defer context.AfterFunc(ctx, func() { _ = zctx.Shutdown() })()
	defer func() {
		for _, s := range sockets {
			if err == nil { // else nobody wants what was not taken
				err = s.Set(zmq.Linger.To(-1))
			}
		}
		bounded, cancel := context.WithTimeout(ctx, flush)
		defer cancel()
		e := zctx.CloseContext(bounded)
		switch cause := context.Cause(ctx); {
		case err != nil:
		case cause != nil:
			err = cause
		case e != nil:
			err = fmt.Errorf("not all that was sent has been taken, %v after the end: %w", flush, e)
		}
	}()
	for range max(cell.Senders, 1) {
		s, err := zctx.NewSocket(zmq.Push, settings...)
		if err != nil {
			return 0, 0, err
		}
		sockets = append(sockets, s)
		if err := s.Connect(peer.Endpoint); err != nil {
			return 0, 0, err
		}
	}
	for i, s := range sockets {
		if err := s.WaitConnected(ctx, 1); err != nil {
			return 0, 0, fmt.Errorf("sender %d has no connection: %w", i, err)
		}
	}
	if peer.Ready != nil {
		if err := peer.Ready(ctx); err != nil {
			return 0, 0, err
		}
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	var first failure
	begin := pace.Now()
	for _, s := range sockets {
		group.Go(func() {
			n, err := pour(s, cell, text, method, len(sockets), begin)
			mu.Lock()
			sent += n
			mu.Unlock()
			if err != nil && first.set(err) {
				_ = zctx.Shutdown() // the others have nobody to send to, either
			}
		})
	}
	group.Wait()
	err = first.get()
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return sent, pace.Now() - begin, err
}

// pour is a sender's loop.
func pour(s *zmq.Socket, cell record.Cell, text string, method record.Method, senders int, begin time.Duration) (sent int64, err error) {
	out := zmq.NewBatch(streamBatch)
	defer func() { err = errors.Join(err, out.Close()) }()
	p := Payload(cell.Size+1, text) // of which the mark of the end has all
	parts := workload.Split(p[:cell.Size], max(cell.Parts, 1))
	warm, end := begin+method.Warmup, begin+method.Warmup+method.Duration
	left := int64(-1) // of the count, once it is begun
	for now := begin; ; now = pace.Now() {
		n := int64(streamBatch)
		switch {
		case method.Count == 0 && now >= end && sent > 0 || left == 0:
			return sent, s.Send(context.Background(), p)
		case method.Count > 0 && now >= warm:
			if left < 0 {
				left = int64((method.Count + senders - 1) / senders)
			}
			n = min(n, left)
			left -= n
		}
		for range n {
			if err := out.Append(parts...); err != nil {
				return sent, err
			}
		}
		if _, err := s.SendBatch(context.Background(), out); err != nil {
			return sent, err
		}
		sent += n
	}
}
