package account_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/zmq"
)

// The ways to send and to receive.
const (
	plain     = "plain"
	batch     = "batch"
	readAhead = "read-ahead"
	pooled    = "pooled"
	polled    = "poller"

	// By contexts that end all the time.
	cancelled      = "cancelled"
	cancelledBatch = "cancelled batch"
)

// settingsOf are the settings of a socket that is used in a way.
func settingsOf(way string) []zmq.Setting {
	if way == readAhead {
		return []zmq.Setting{zmq.ReadAhead.To(128)}
	}
	return nil
}

// A sender sends messages by one socket, for one goroutine.
type sender struct {
	send  func(parts [][]byte) error
	flush func() error // sends what is still kept
	close func()
}

func newSender(ctx context.Context, s *zmq.Socket, way string, p *pool.Pool) (sender, error) {
	none := sender{flush: func() error { return nil }, close: func() {}}
	switch way {
	case batch, cancelledBatch:
		b := zmq.NewBatch(64)
		flush := func(ctx context.Context) error {
			if b.Len() == 0 {
				return nil
			}
			_, err := s.SendBatch(ctx, b) // what a cancelled call has not sent is still in the batch
			return err
		}
		none.close = func() { _ = b.Close() }
		none.flush = func() error { return flush(ctx) }
		if way == cancelledBatch {
			none.flush = func() error { return retry(ctx, flush) }
		}
		none.send = func(parts [][]byte) error {
			if err := b.Append(parts...); err != nil || b.Len() < 64 {
				return err
			}
			return none.flush()
		}
	case pooled:
		none.send = func(parts [][]byte) error { return sendPooled(ctx, s, p, parts) }
	case polled:
		pl, err := poller.New()
		if err != nil {
			return none, err
		}
		none.close = func() { _ = pl.Close() }
		none.send = func(parts [][]byte) error {
			for {
				if err := s.SendMultipart(context.Background(), parts, zmq.DontWait); !errors.Is(err, zmq.ErrAgain) {
					return err
				}
				if _, err := pl.Wait(ctx); err != nil {
					return err
				}
			}
		}
		return none, pl.Add(s, poller.Out)
	case cancelled:
		none.send = func(parts [][]byte) error {
			return retry(ctx, func(ctx context.Context) error { return s.SendMultipart(ctx, parts) })
		}
	default:
		none.send = func(parts [][]byte) error { return s.SendMultipart(ctx, parts) }
	}
	return none, nil
}

func sendPooled(ctx context.Context, s *zmq.Socket, p *pool.Pool, parts [][]byte) error {
	for i, part := range parts {
		m, err := p.GetBytes(part)
		if err != nil {
			return err
		}
		if i+1 < len(parts) {
			err = s.SendMessage(ctx, m, zmq.SendMore)
		} else {
			err = s.SendMessage(ctx, m)
		}
		p.Put(m)
		if err != nil {
			s.DiscardParts()
			return err
		}
	}
	return nil
}

// A taker takes a message: its parts, and the first of them as a Message if there is
// one.
type taker func(parts [][]byte, first *zmq.Message) error

// receive hands every message that a socket receives to take, until ctx ends or take
// fails. idle is called when it may be a while until the next one; nil does nothing.
func receive(ctx context.Context, s *zmq.Socket, way string, idle func() error, take taker) error {
	if idle == nil {
		idle = func() error { return nil }
	}
	switch way {
	case batch:
		return receiveBatches(ctx, s, idle, take, (*zmq.Socket).RecvBatch)
	case cancelledBatch:
		return receiveBatches(ctx, s, idle, take, recvBatchCancelled)
	case polled:
		return receivePolled(ctx, s, idle, take)
	case plain:
		return receiveParts(idle, take, func(i int) ([][]byte, error) { return recvPlain(ctx, s, i) })
	case cancelled:
		return receiveParts(idle, take, func(int) (parts [][]byte, err error) {
			err = retry(ctx, func(ctx context.Context) (err error) {
				parts, err = s.RecvMultipart(ctx)
				return err
			})
			return parts, err
		})
	}
	var views [][]byte
	for m, err := range s.Messages(ctx) {
		if err != nil {
			return err
		}
		views = viewsOf(views, m)
		if err := errors.Join(take(views, &m[0]), idle()); err != nil {
			return err
		}
	}
	return nil
}

func viewsOf(views [][]byte, m zmq.Multipart) [][]byte {
	views = views[:0]
	for i := range m {
		views = append(views, m[i].Bytes())
	}
	return views
}

// receiveParts receives what recv returns.
func receiveParts(idle func() error, take taker, recv func(i int) ([][]byte, error)) error {
	for i := 0; ; i++ {
		parts, err := recv(i)
		if err != nil {
			return err
		}
		if err := errors.Join(take(parts, nil), idle()); err != nil {
			return err
		}
	}
}

// recvPlain receives whole messages and, every other time, part by part.
func recvPlain(ctx context.Context, s *zmq.Socket, i int) (parts [][]byte, err error) {
	if i%2 == 0 {
		return s.RecvMultipart(ctx)
	}
	var part []byte
	for more := true; more && err == nil; more = s.RecvMore() {
		part, err = s.RecvBytes(ctx)
		parts = append(parts, part)
	}
	return parts, err
}

type recvBatch func(s *zmq.Socket, ctx context.Context, b *zmq.Batch, flags ...zmq.Flag) (int, error)

func recvBatchCancelled(s *zmq.Socket, ctx context.Context, b *zmq.Batch, flags ...zmq.Flag) (n int, err error) {
	err = retry(ctx, func(ctx context.Context) (err error) {
		n, err = s.RecvBatch(ctx, b, flags...)
		return err
	})
	return n, err
}

func receiveBatches(ctx context.Context, s *zmq.Socket, idle func() error, take taker, recv recvBatch) error {
	b := zmq.NewBatch(256)
	defer b.Close()
	var views [][]byte
	for {
		if _, err := recv(s, ctx, b); err != nil {
			return err
		}
		for _, m := range b.All() {
			views = viewsOf(views, m)
			if err := take(views, &m[0]); err != nil {
				return err
			}
		}
		if err := idle(); err != nil {
			return err
		}
	}
}

func receivePolled(ctx context.Context, s *zmq.Socket, idle func() error, take taker) error {
	pl, err := poller.New()
	if err != nil {
		return err
	}
	defer pl.Close()
	if err := pl.Add(s, poller.In); err != nil {
		return err
	}
	var m zmq.Multipart
	defer func() { _ = m.Close() }()
	var views [][]byte
	for {
		if err := s.RecvMultipartMessage(context.Background(), &m, zmq.DontWait); err == nil {
			views = viewsOf(views, m)
			if err := take(views, &m[0]); err != nil {
				return err
			}
			continue
		} else if !errors.Is(err, zmq.ErrAgain) {
			return err
		}
		if err := idle(); err != nil {
			return err
		}
		if _, err := pl.Wait(ctx); err != nil {
			return err
		}
	}
}

// retry calls f with contexts that end soon, until it succeeds or fails for another
// reason. A call that was cancelled has done nothing.
func retry(ctx context.Context, f func(context.Context) error) error {
	for {
		// Some are at an end before they begin.
		short, cancel := context.WithTimeout(ctx, time.Duration(rand.IntN(100)-5)*time.Microsecond)
		err := f(short)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return err
		}
		totals.fault(cancels, 1)
	}
}

// quiet says whether nothing more comes for a moment.
func quiet(s *zmq.Socket) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	switch parts, err := s.RecvMultipart(ctx); {
	case err == nil:
		return fmt.Errorf("a message too many, of %d parts", len(parts))
	case errors.Is(err, context.DeadlineExceeded):
		return nil
	default:
		return err
	}
}

// pause lets others get on, for as long as a connection takes to come back.
func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(5 * time.Millisecond):
	}
}
