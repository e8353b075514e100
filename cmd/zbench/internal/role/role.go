// Package role does one end's part: it sends, receives, answers or forwards, with
// peers that somebody else has started. They may be zbench too, or any other program
// that speaks ZeroMQ.
package role

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/zmq"
)

// Result is what a role did.
type Result struct {
	record.Run
	Senders int    // recv: how many there were, by their headers
	Dropped uint64 // echo, proxy: messages that could be given to nobody
	Shared  bool   // recv: others received, too, so that what is missing is not known
	Lines   []string

	hiccups *pace.Hiccups
}

// unfitError says that what was measured is not what was asked for.
type unfitError struct{ error }

func unfit(format string, args ...any) error { return unfitError{fmt.Errorf(format, args...)} }

// Unfit reports whether all that an error says is that what was measured is not what
// was asked for: nothing has failed.
func Unfit(err error) bool {
	if several, ok := err.(interface{ Unwrap() []error }); ok { // as errors.Join makes them
		return !slices.ContainsFunc(several.Unwrap(), func(err error) bool { return !Unfit(err) })
	}
	_, ok := err.(unfitError)
	return ok
}

// harmError says that messages were lost, doubled or out of order.
type harmError struct{ error }

func harm(format string, args ...any) error { return harmError{fmt.Errorf(format, args...)} }

// Harmed reports whether an error says that messages came to harm.
func Harmed(err error) bool {
	var harm harmError
	return errors.As(err, &harm)
}

// Say is told what the user has to know while the role runs, such as where its
// socket is bound.
type Say func(format string, args ...any)

// Run does a role's part until it is done, or ctx ends; then the error is ctx's cause.
// With an error, too, the result has what was measured until then. live is kept up to
// date meanwhile.
func Run(ctx context.Context, r *plan.Role, live *Tally, say Say) (*Result, error) {
	hiccups := pace.StartHiccups()
	res := &Result{Run: record.Run{Start: time.Now().UTC(), Repeat: 1}, hiccups: hiccups}
	res.Cell = cell(r)
	res.Method = record.Method{Duration: r.Duration, Count: r.Count, Payload: r.Payload}
	if r.Rate > 0 {
		res.Method.Seed, res.Method.Pace = r.Seed, r.Pace
	}
	var err error
	switch {
	case r.Verb == plan.Recv:
		err = runRecv(ctx, r, live, say, res)
	case r.Verb == plan.Echo:
		err = runEcho(ctx, r, live, say, res)
	case r.Verb == plan.Proxy:
		err = runProxy(ctx, r, live, say, res)
	case r.Ends().OneWay:
		err = runSend(ctx, r, live, say, res)
	default:
		err = runTrips(ctx, r, live, say, res)
	}
	seen := hiccups.Stop()
	res.Saturated = load.Saturated(&res.Run, hiccups.Longest())
	if len(res.Latency) > 0 {
		if l, e := record.NewLatency(seen); e == nil && l != nil {
			res.Latency[record.Machine] = l
		}
	}
	// The context's end is what the calls on sockets complain of then.
	if cause := context.Cause(ctx); cause != nil && err != nil {
		var harm harmError
		if errors.As(err, &harm) {
			err = errors.Join(harm, cause)
		} else {
			err = cause
		}
	}
	return res, err
}

// cell names what is measured.
func cell(r *plan.Role) record.Cell {
	endpoint := r.Endpoint
	if r.Verb == plan.Proxy {
		endpoint = r.Frontend
	}
	transport, _, _ := strings.Cut(endpoint, "://")
	options, _ := load.Options(r.Options) // has been checked
	c := record.Cell{
		Verb: r.Verb, Pattern: r.Pattern, Transport: transport, Size: max(r.Size, 0), Impl: "go", Options: options,
	}
	if r.Verb == plan.Send {
		c.Rate, c.Senders, c.Receivers = r.Rate, 1, max(r.Peers, 1)
		if r.Rate > 0 {
			c.Arrivals = r.Arrivals
		}
		c.Window = r.Pipeline
	}
	if r.Security == "curve" {
		c.Security = r.Security
	}
	if r.Parts > 1 {
		c.Parts = r.Parts
	}
	if r.Payload != "" {
		c.Payload = filepath.Base(r.Payload)
	}
	return c
}

// end is a socket that is bound or connected.
type end struct {
	ctx    *zmq.Context
	socket *zmq.Socket
	bound  bool
	local  bool // over ipc
}

// open makes the socket of a role and opens its endpoint.
func open(r *plan.Role, say Say, settings ...zmq.Setting) (e *end, err error) {
	ofContext, ofSockets, err := load.Settings(cell(r).Options)
	if err != nil {
		return nil, err
	}
	zctx, err := zmq.NewContext(ofContext...)
	if err != nil {
		return nil, err
	}
	e = &end{ctx: zctx, bound: r.Binds(), local: strings.HasPrefix(r.Endpoint, "ipc:")}
	defer func() {
		if err != nil {
			err = errors.Join(err, zctx.Close())
		}
	}()
	settings = append(settings, ofSockets...)
	if typ := r.SocketType(); typ == zmq.Pub || typ == zmq.XPub {
		settings = append(settings, zmq.TrackSubscriptions.To(true))
	}
	if r.Security == "curve" {
		s, err := secure(r, say)
		if err != nil {
			return nil, err
		}
		settings = append(settings, s)
	}
	if e.socket, err = zctx.NewSocket(r.SocketType(), settings...); err != nil {
		return nil, err
	}
	switch e.socket.Type() {
	case zmq.Sub:
		err = e.socket.Subscribe(r.Topic)
	case zmq.Dish:
		if err = e.join(r); err != nil {
			return nil, err
		}
		return e, e.announce(say)
	}
	if err != nil {
		return nil, err
	}
	if !e.bound {
		return e, e.socket.Connect(r.Endpoint)
	}
	if err := e.socket.Bind(r.Endpoint); err != nil {
		return nil, err
	}
	return e, e.announce(say)
}

// join opens the endpoint of a DISH, then joins: over udp it has to be in this order.
func (e *end) join(r *plan.Role) error {
	opening := e.socket.Connect
	if e.bound {
		opening = e.socket.Bind
	}
	if err := opening(r.Endpoint); err != nil {
		return err
	}
	return e.socket.Join(r.Topic)
}

// announce says where a socket is bound: wildcards have been resolved.
func (e *end) announce(say Say) error {
	if !e.bound {
		return nil
	}
	endpoint, err := e.socket.LastEndpoint()
	if err == nil {
		say("listening on %s", endpoint)
	}
	return err
}

// secure returns what CURVE needs at this end.
func secure(r *plan.Role, say Say) (zmq.Setting, error) {
	if !r.Binds() {
		return zmq.AsCurveClient(r.ServerKey), nil
	}
	public, secret, err := zmq.NewCurveKeypair()
	if err != nil {
		return zmq.Setting{}, err
	}
	say("server key %s", public)
	return zmq.AsCurveServer(secret, zmq.AllowAnyClient()), nil
}

// idle is a role's timeout for one call: 0 means none.
func idle(d time.Duration) time.Duration {
	if d == 0 {
		return -1
	}
	return d
}

// stoodStill says that a wait which was to end after a while took much longer: it may
// have been this process that did nothing meanwhile, and what it waits for be there.
func stoodStill(took, limit time.Duration) bool {
	return took > limit+max(limit/10, 100*time.Millisecond)
}

// errOver is the cause with which a duration ends.
var errOver = errors.New("the time is over")
