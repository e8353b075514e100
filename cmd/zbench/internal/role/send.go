package role

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/workload"
	"github.com/go-zmq/go-zmq/zmq"
)

const (
	// mostBytes bounds what a batch to send has copied.
	mostBytes = 1 << 20
	// sendBatch is as many as bench_test.go's senders send at once.
	sendBatch = 64
	// flush is how long, at the end, peers have to take what they were sent, and
	// hurried how long when the user wants to stop.
	flush, hurried = 10 * time.Second, time.Second
)

// sender sends one way.
type sender struct {
	*plan.Role
	socket *zmq.Socket
	live   *Tally
	res    *Result
	head   header
	offset time.Duration // between the process's clock and the machine's
	out    []byte
	parts  [][]byte // topic, if there is one, and the parts of out
}

func runSend(ctx context.Context, r *plan.Role, live *Tally, say Say, res *Result) (err error) {
	text, err := load.ReadPayload(r.Payload)
	if err != nil {
		return err
	}
	e, err := open(r, say, zmq.Linger.To(-1), zmq.SendTimeout.To(idle(r.Idle)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.flush(err != nil)) }()
	if err := e.await(ctx, r); err != nil {
		return err
	}
	s := &sender{Role: r, socket: e.socket, live: live, res: res, out: load.Payload(r.Size, text), offset: monotonic() - pace.Now()}
	s.head = newSender(!r.Ends().Lossy && max(r.Peers, e.socket.Stats().Connections) > 1)
	s.parts = s.addressed(s.out)
	var used load.Meter
	used.Begin()
	if r.Rate > 0 {
		err = s.paced(ctx)
	} else {
		err = s.fast(ctx)
	}
	used.Until(&res.Run)
	res.Rescues = core.Rescues()
	state := live.State()
	res.Messages, res.Bytes = state.Messages, state.Bytes
	if !r.Raw && (err == nil || ctx.Err() != nil) {
		err = errors.Join(err, s.end(ctx.Err() != nil))
	}
	return err
}

// addressed returns a payload as a message: in its parts, behind the topic.
func (s *sender) addressed(payload []byte) [][]byte {
	parts := workload.Split(payload, s.Parts)
	if s.Topic != "" && s.socket.Type() != zmq.Radio {
		parts = append([][]byte{[]byte(s.Topic)}, parts...)
	}
	return parts
}

// await waits for those who are to be sent to.
func (e *end) await(ctx context.Context, r *plan.Role) error {
	if r.Peers == 0 {
		return nil
	}
	if r.Wait > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, r.Wait, errOver)
		defer cancel()
	}
	wait := e.socket.WaitConnected
	if e.socket.Type() == zmq.Pub {
		wait = e.socket.WaitSubscribers
	}
	err := wait(ctx, r.Peers)
	if err != nil && errors.Is(context.Cause(ctx), errOver) {
		return unfit("%d of %d peers came to %s in %v; start them, or give --peers or --wait", min(e.socket.Stats().Connections, r.Peers), r.Peers, r.Endpoint, r.Wait)
	}
	return err
}

// flush closes, and waits for peers to take what they were sent. After a failure, or
// when the user wants to stop, it does not wait for long.
func (e *end) flush(hurry bool) error {
	if e.local {
		e.linger()
	}
	return closeContext(e.ctx, hurry)
}

func closeContext(zctx *zmq.Context, hurry bool) error {
	limit := flush
	if hurry {
		limit = hurried
	}
	bounded, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := zctx.CloseContext(bounded); err != nil {
		return fmt.Errorf("not all that was sent has been taken, %v after the end: %w", limit, err)
	}
	return nil
}

// linger waits for the receivers to leave, for a while. Over ipc a receiver whose queue
// is full loses what the system still holds for it when the connection ends: libzmq
// takes the hang-up, which local sockets report at once, for an error (seen with 4.3.4;
// over tcp it reads on). Receivers leave when they have had the end, or their number.
func (e *end) linger() {
	for end := pace.Now() + hurried; e.socket.Stats().Connections > 0 && pace.Now() < end; {
		time.Sleep(pause)
	}
}

// fast sends as fast as it goes.
func (s *sender) fast(ctx context.Context) error {
	bounded := ctx
	if s.Duration > 0 {
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeoutCause(ctx, s.Duration, errOver)
		defer cancel()
	}
	size := max(1, min(sendBatch, mostBytes/(s.Size+1)))
	b := zmq.NewBatch(size)
	defer b.Close()
	begin := pace.Now()
	defer func() {
		s.res.Elapsed = pace.Now() - begin
		s.res.SendTime = s.res.Elapsed
	}()
	for done := int64(0); s.Count == 0 || done < int64(s.Count); {
		n := size
		if s.Count > 0 {
			n = int(min(int64(size), int64(s.Count)-done))
		}
		due := pace.Now() + s.offset
		for i := range n {
			s.fill(uint64(done)+uint64(i), due)
			if err := s.append(b); err != nil {
				return err
			}
		}
		sent, err := s.socket.SendBatch(bounded, b)
		done += int64(sent)
		s.head.number = uint64(done)
		s.live.add(int64(sent), int64(sent*s.Size))
		if err != nil {
			if errors.Is(context.Cause(bounded), errOver) {
				return nil
			}
			return s.stuck(err)
		}
		if errors.Is(context.Cause(bounded), errOver) {
			return nil
		}
	}
	return nil
}

// stuck says what a send means that took too long.
func (s *sender) stuck(err error) error {
	if errors.Is(err, zmq.ErrAgain) {
		return fmt.Errorf("nobody took a message for %v (--idle): %w", s.Idle, err)
	}
	return err
}

// fill writes the header, if there is one.
func (s *sender) fill(number uint64, due time.Duration) {
	if !s.Raw {
		s.head.number, s.head.due = number, due
		s.head.put(s.out)
	}
}

func (s *sender) append(b *zmq.Batch) error {
	if s.socket.Type() == zmq.Radio {
		return b.AppendGroup(s.Topic, s.out)
	}
	return b.Append(s.parts...)
}

// one sends a message.
func (s *sender) one(ctx context.Context) error {
	if s.socket.Type() == zmq.Radio {
		return s.socket.SendGroup(ctx, s.Topic, s.parts[len(s.parts)-1])
	}
	return s.socket.SendMultipart(ctx, s.parts)
}

// paced sends when messages are due.
func (s *sender) paced(ctx context.Context) error {
	p, late, err := pacer(s.Role, s.res)
	if err != nil {
		return err
	}
	undo, err := prompt(s.Role)
	if err != nil {
		return err
	}
	defer undo()
	number, lastDue := uint64(0), time.Duration(0)
	n, err := p.Run(ctx, func(due, now time.Duration) error {
		record.Observe(late, now-due)
		s.fill(number, due+s.offset)
		if err := s.one(ctx); err != nil {
			return s.stuck(err)
		}
		number++
		s.head.number, lastDue = number, due
		s.live.add(1, int64(s.Size))
		return nil
	})
	s.res.Elapsed = pace.Now() - p.Start
	s.res.SendTime = s.res.Elapsed
	s.res.Messages = int64(number)
	offered(s.Role, s.res, n, lastDue-p.Start)
	return errors.Join(err, keep(s.res, record.Pacer, late))
}

const (
	// Where messages may be lost so may be the end, whose loss nobody is told of: a
	// queue that is full takes messages again when the receiver has emptied half of it.
	// So it is said again and again, and a receiver goes by the first that comes.
	endings, pause = 50, 10 * time.Millisecond
)

// end says that this was all: to each receiver or, where all get the same, to all. Of
// several receivers one may get what was meant for another, whose queue was full; it is
// said until all have left.
func (s *sender) end(hurry bool) error {
	limit := flush
	if hurry {
		limit = hurried
	}
	s.head.end = true
	least, most := max(1, s.socket.Stats().Connections), 1
	switch {
	case s.Ends().Lossy:
		least, most = endings, endings
	case least > 1:
		s.head.shared = true
		most = math.MaxInt
	}
	mark := make([]byte, plan.HeaderSize)
	s.head.put(mark)
	s.parts = s.addressed(nil)
	s.parts[len(s.parts)-s.Parts] = mark
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	for i := range most {
		if i > 0 && s.socket.Stats().Connections == 0 {
			return nil // all have heard it, and left
		}
		if err := s.one(ctx); err != nil && i < least {
			return fmt.Errorf("the receivers cannot be told that this was the end: %w", err)
		}
		if ctx.Err() != nil {
			return nil // who is still there waits for others, too
		}
		if s.Ends().Lossy || i+1 >= least && i+1 < most {
			time.Sleep(pause)
		}
	}
	return nil
}
