// Package role is one side of a measurement: it sends, receives or answers. The peers,
// which the user starts, may be zbench or any other program that speaks ZeroMQ.
package role

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/zmq"
)

// Result is what one side did.
type Result struct {
	record.Run
	Senders int    // recv: how many there were, by their headers
	Dropped uint64 // echo: messages whose peer had left
	Shared  bool   // recv: others received from the same senders, so that losses are unknown
	Foreign bool   // recv: messages had no header, so that nothing was checked

	hiccups *pace.Hiccups
}

// sized notes the size of a message.
func (r *Result) sized(n int) {
	if r.Largest == 0 && r.Smallest == 0 {
		r.Smallest = n
	}
	r.Smallest, r.Largest = min(r.Smallest, n), max(r.Largest, n)
}

// harmError says that messages were lost, duplicated or reordered.
type harmError struct{ error }

// Harmed reports whether an error says that messages were lost, duplicated or reordered.
func Harmed(err error) bool { return errors.As(err, new(harmError)) }

// Say tells the user something while the side runs, such as where its socket is bound.
type Say func(format string, args ...any)

// Run runs one side until it is done or ctx ends; the error is then ctx's cause. The
// result has what was measured also if there is an error. tally counts while it runs.
func Run(ctx context.Context, p *plan.Plan, tally *load.Tally, say Say) (*Result, error) {
	hiccups := pace.StartHiccups(pace.Nap)
	res := &Result{Run: record.Run{Start: time.Now().UTC(), Repeat: 1, Cell: p.Cell()}, hiccups: hiccups}
	res.Method = record.Method{Duration: p.Duration, Count: p.Count, Endpoint: p.Endpoint}
	if p.Rate() > 0 {
		res.Method.Pace = p.Pace
	}
	run := map[string]func(context.Context, *plan.Plan, *load.Tally, Say, *Result) error{
		plan.Send: runSend, plan.Recv: runRecv, plan.Echo: runEcho,
	}[p.Verb]
	err := run(ctx, p, tally, say, res)
	seen := hiccups.Stop()
	if res.Smallest == res.Largest {
		res.Smallest, res.Largest = 0, 0 // Cell.Size says it
	}
	res.Saturated = load.Saturated(&res.Run, hiccups.Longest())
	if len(res.Latency) > 0 {
		err = errors.Join(err, load.Keep(&res.Run, record.Machine, seen))
	}
	// After the end of ctx the calls on sockets fail.
	if cause := context.Cause(ctx); cause != nil && err != nil {
		var harm harmError
		if errors.As(err, &harm) {
			return res, errors.Join(harm, cause)
		}
		return res, cause
	}
	return res, err
}

// side is a socket that is bound or connected.
type side struct {
	*plan.Plan
	ctx    *zmq.Context
	socket *zmq.Socket
	say    Say
}

// open opens the socket of a side. attach is called later.
func open(p *plan.Plan, say Say, settings ...zmq.Setting) (s *side, err error) {
	options, err := load.Settings(p.Cell().Options)
	if err != nil {
		return nil, err
	}
	zctx, err := zmq.NewContext(options...)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, zctx.Close())
		}
	}()
	settings = append(settings, load.Addressed(p.Endpoint)...)
	if p.SocketType() == zmq.Pub {
		settings = append(settings, zmq.TrackSubscriptions.To(true))
	}
	if p.Cell().Security == "curve" {
		curve, err := secure(p, say)
		if err != nil {
			return nil, err
		}
		settings = append(settings, curve)
	}
	s = &side{Plan: p, ctx: zctx, say: say}
	if s.socket, err = zctx.NewSocket(p.SocketType(), settings...); err != nil {
		return nil, err
	}
	if s.socket.Type() == zmq.Sub {
		if p.Topics == 0 {
			err = s.socket.Subscribe(p.Topic)
		}
		for i := range p.Topics {
			err = errors.Join(err, s.socket.Subscribe(plan.TopicName(p.Topic, i)))
		}
	}
	return s, err
}

// attach binds or connects.
func (s *side) attach() error {
	if !s.Binds() {
		if err := load.Resolve(context.Background(), s.Endpoint); err != nil {
			return err
		}
		return s.socket.Connect(s.Endpoint)
	}
	if err := s.socket.Bind(s.Endpoint); err != nil {
		return err
	}
	endpoint, err := s.socket.LastEndpoint() // wildcards are resolved
	if err == nil {
		s.say("listening on %s", endpoint)
	}
	return err
}

// follow attaches and watches the socket until stop is called. What keeps peers from
// connecting is said, each thing once.
func (s *side) follow(w load.Watch) (stop func(), err error) {
	w.Refused = s.once()
	if stop, err = w.Follow(s.socket, s.Endpoint); err != nil {
		return nil, err
	}
	if err := s.attach(); err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}

// once returns a function that says each error once.
func (s *side) once() func(error) {
	said := map[string]bool{}
	return func(why error) {
		if !said[why.Error()] {
			said[why.Error()] = true
			s.say("%v", why)
		}
	}
}

// errGone is the cause with which a side ends that all peers left.
var errGone = errors.New("all peers left")

// secure returns the CURVE setting of this side.
func secure(p *plan.Plan, say Say) (zmq.Setting, error) {
	if !p.Binds() {
		return zmq.AsCurveClient(p.Key()), nil
	}
	public, secret, err := zmq.NewCurveKeypair()
	if err != nil {
		return zmq.Setting{}, err
	}
	say("server key %s", public)
	return zmq.AsCurveServer(secret, zmq.AllowAnyClient()), nil
}

// limit is a timeout of one call: 0 means none.
func limit(d time.Duration) time.Duration {
	if d == 0 {
		return -1
	}
	return d
}

// errOver is the cause with which a duration ends.
var errOver = errors.New("the time is over")

// within returns a context that ends with errOver after a duration; 0 means no limit.
func within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d == 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, d, errOver)
}

const (
	// batch is how many messages a side takes at once.
	batch = 256
	// flush is how long peers have at the end to take what they were sent; hurried is how
	// long if the user wants to stop.
	flush, hurried = 10 * time.Second, time.Second
	pause          = 10 * time.Millisecond
)

// patienceFor returns how long peers have at the end. With hurry that is not long.
func patienceFor(hurry bool) time.Duration {
	if hurry {
		return hurried
	}
	return flush
}

// close closes the socket, and waits for peers to take what they were sent. It does not
// wait for long after a failure, or if the user wants to stop.
func (s *side) close(hurry bool) error {
	if strings.HasPrefix(s.Endpoint, "ipc:") {
		// Over ipc a receiver whose queue is full loses what the system still holds when
		// the connection ends: libzmq takes the hang-up for an error (4.3.4). Receivers
		// leave after the end mark, or with their count.
		for end := pace.Now() + hurried; s.socket.Stats().Connections > 0 && pace.Now() < end; {
			time.Sleep(pause)
		}
	}
	patience := patienceFor(hurry)
	bounded, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.ctx.CloseContext(bounded); err != nil {
		return fmt.Errorf("peers have not taken everything %v after the end: %w", patience, err)
	}
	return nil
}
