package role

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/zmq"
)

// runEcho sends every message back to its sender. It looks into none.
func runEcho(ctx context.Context, p *plan.Plan, tally *load.Tally, say Say, res *Result) (err error) {
	settings := []zmq.Setting{zmq.Linger.To(-1)}
	if p.SocketType() == zmq.Router {
		// Without it a ROUTER drops messages for which it has no room.
		settings = append(settings, zmq.RouterMandatory.To(true))
	}
	s, err := open(p, say, settings...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(err != nil)) }()
	stop, err := s.follow(load.Watch{})
	if err != nil {
		return err
	}
	defer stop()
	most := batch
	if s.socket.Type() == zmq.Rep {
		most = 1
	}
	b := zmq.NewBatch(most)
	defer func() { _ = b.Close() }()
	bounded, begin, last := ctx, time.Duration(0), time.Duration(0)
	var used load.Meter
	defer func() {
		if begin > 0 {
			used.Until(&res.Run)
		}
		state := tally.State()
		res.Elapsed, res.Messages, res.Bytes = last-begin, state.Messages, state.Bytes
		if state.Messages > 0 {
			res.Cell.Size = int(state.Bytes / state.Messages)
		}
	}()
	for p.Count == 0 || tally.Count() < int64(p.Count) {
		if left := int64(p.Count) - tally.Count(); p.Count > 0 && left < int64(most) {
			_ = b.Close()
			most = int(left)
			b = zmq.NewBatch(most)
		}
		if _, err := s.socket.RecvBatch(bounded, b); err != nil {
			return ended(ctx, bounded, err, p, tally)
		}
		if begin == 0 {
			used.Begin()
			begin = pace.Now()
			var cancel context.CancelFunc
			bounded, cancel = within(ctx, p.Duration)
			defer cancel()
			if err := s.socket.Set(zmq.RecvTimeout.To(limit(p.Idle))); err != nil {
				return err
			}
		}
		if err := s.answer(ctx, b, tally, res); err != nil {
			return err
		}
		last = pace.Now()
	}
	return nil
}

// answer sends a batch back, without messages whose sender has left, and counts it.
func (s *side) answer(ctx context.Context, b *zmq.Batch, tally *load.Tally, res *Result) error {
	n, bytes := b.Len(), 0
	for _, m := range b.All() {
		res.sized(m[len(m)-1].Len())
		bytes += m[len(m)-1].Len()
	}
	for b.Len() > 0 {
		_, err := s.socket.SendBatch(ctx, b)
		switch {
		case err == nil:
		case errors.Is(err, zmq.ErrHostUnreachable):
			b.Skip(1)
			res.Dropped++
		default:
			return err
		}
	}
	tally.Add(int64(n), int64(bytes))
	return nil
}

// ended returns the error of an echo whose receive has failed. It is nil at the end of the
// duration or the idle time, unless fewer messages came than were asked for.
func ended(ctx, bounded context.Context, err error, p *plan.Plan, tally *load.Tally) error {
	how := fmt.Sprintf(" in %v", p.Duration)
	if !errors.Is(context.Cause(bounded), errOver) {
		if ctx.Err() != nil || !errors.Is(err, zmq.ErrAgain) {
			return err
		}
		how = fmt.Sprintf(", and then none for %v", p.Idle)
	}
	if n := tally.Count(); n < int64(p.Count) {
		return record.Exitf(record.Unfit, "%d of %s came%s", n, record.Count(p.Count, "message"), how)
	}
	return nil
}
