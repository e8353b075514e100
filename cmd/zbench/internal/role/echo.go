package role

import (
	"context"
	"errors"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/zmq"
)

// runEcho sends everything back to where it came from. It looks into no message.
func runEcho(ctx context.Context, r *plan.Role, live *Tally, say Say, res *Result) (err error) {
	settings := []zmq.Setting{zmq.Linger.To(-1)}
	if r.SocketType() == zmq.Router {
		// Without it a ROUTER drops what it has no room for.
		settings = append(settings, zmq.RouterMandatory.To(true))
	}
	e, err := open(r, say, settings...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.flush(err != nil)) }()
	most := batch
	if r.Ends().Lockstep {
		most = 1
	}
	b := zmq.NewBatch(most)
	defer b.Close()

	bounded, begin, last := ctx, time.Duration(0), time.Duration(0)
	var used load.Meter
	defer func() {
		res.Elapsed = last - begin
		if begin > 0 {
			used.Until(&res.Run)
		}
		res.Rescues = core.Rescues()
		s := live.State()
		res.Messages, res.Bytes = s.Messages, s.Bytes
		if s.Messages > 0 {
			res.Cell.Size = int(s.Bytes / s.Messages)
		}
	}()
	for r.Count == 0 || live.Count() < int64(r.Count) {
		if _, err := e.socket.RecvBatch(bounded, b); err != nil {
			if errors.Is(context.Cause(bounded), errOver) || ctx.Err() == nil && errors.Is(err, zmq.ErrAgain) {
				return ended(r, live)
			}
			return err
		}
		if begin == 0 {
			used.Begin()
			begin = pace.Now()
			if r.Duration > 0 {
				var cancel context.CancelFunc
				bounded, cancel = context.WithTimeoutCause(ctx, r.Duration, errOver)
				defer cancel()
			}
			if err := e.socket.Set(zmq.RecvTimeout.To(idle(r.Idle))); err != nil {
				return err
			}
		}
		n, bytes := b.Len(), payloads(b, r.Parts)
		for b.Len() > 0 {
			_, err := e.socket.SendBatch(ctx, b)
			switch {
			case err == nil:
			case errors.Is(err, zmq.ErrHostUnreachable):
				b.Skip(1) // who asked has left
				res.Dropped++
			default:
				return err
			}
		}
		live.add(int64(n), bytes)
		last = pace.Now()
	}
	return nil
}

// payloads returns how many bytes the payloads of messages have.
func payloads(b *zmq.Batch, parts int) (bytes int64) {
	for _, m := range b.All() {
		_, size := payload(m, parts)
		bytes += int64(size)
	}
	return bytes
}

// ended says what it means that nothing came any more.
func ended(r *plan.Role, live *Tally) error {
	if n := live.Count(); r.Count > 0 && n < int64(r.Count) {
		return unfit("%d of %d messages came, and then none for %v", n, r.Count, r.Idle)
	}
	return nil
}
