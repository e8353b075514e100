package zap

import (
	"context"
	"errors"
	"maps"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/zmq"
)

// endpoint is where libzmq asks.
const endpoint = "inproc://zeromq.zap.01"

// Authenticator answers libzmq's questions about who may connect to the sockets of
// one context. It is safe for use by any number of goroutines. It takes one socket
// of the context and one goroutine, which sleeps while nobody connects; the policy's
// functions run on goroutines of their own, at most MaxCallbacks.
type Authenticator struct {
	socket *zmq.Socket
	rules  atomic.Pointer[rules]

	life    context.Context // ends with Close
	end     context.CancelFunc
	pending sync.WaitGroup // requests that functions are busy with, until they are answered
	done    chan struct{}  // closed when the socket is

	accepted, refused, malformed, unlogged atomic.Uint64
}

// Start starts the authenticator of a context: from now on the server sockets that
// want one (zmq.AsCurveServer, zmq.AsPlainServer, zmq.AsNullServer, or the option
// ZapDomain) ask it about each new connection. Start it before they are bound.
//
// A context has one authenticator at most: a second Start fails with EADDRINUSE,
// until the first is closed. A policy that cannot be is EINVAL, a closed context
// ErrClosed. It does not block.
//
// libzmq: zmq_bind to inproc://zeromq.zap.01.
func Start(c *zmq.Context, p Policy) (*Authenticator, error) {
	r, err := newRules(p)
	if err != nil {
		return nil, err
	}
	socket, err := newHandler(c)
	if err != nil {
		return nil, err
	}
	if err := socket.Bind(endpoint); err != nil {
		// The reason to give is the bind, not what closing says.
		_ = socket.Close()
		if errors.Is(err, syscall.EADDRINUSE) {
			return nil, &zmq.Error{Op: "zap", Endpoint: endpoint, Errno: syscall.EADDRINUSE, Detail: "the context has an authenticator already; use SetPolicy to change it, or Close it first"}
		}
		return nil, err
	}
	a := &Authenticator{socket: socket, done: make(chan struct{})}
	a.rules.Store(r)
	a.life, a.end = context.WithCancel(context.Background())
	go a.serve()
	return a, nil
}

// newHandler makes the socket that takes the requests. It has none of the options that
// the context gives its users' sockets, and can wait from the beginning.
func newHandler(c *zmq.Context) (*zmq.Socket, error) {
	bare, err := core.NewBareSocket(c, int(zmq.Router))
	if err != nil {
		return nil, err
	}
	socket := bare.(*zmq.Socket)
	err = socket.Set(zmq.Linger.To(0), zmq.SendHWM.To(0), zmq.RecvHWM.To(0))
	if err == nil {
		_, err = zmq.FD.Get(socket)
	}
	if err != nil {
		return nil, errors.Join(err, socket.Close())
	}
	return socket, nil
}

// SetPolicy replaces the policy for the connections to come; those that exist
// stay, and requests that functions are busy with are decided by the old one. An
// error, EINVAL, leaves the old policy as it is. It does not block.
func (a *Authenticator) SetPolicy(p Policy) error {
	if a == nil || a.socket == nil {
		return errNil
	}
	r, err := newRules(p)
	if err != nil {
		return err
	}
	a.rules.Store(r)
	return nil
}

var errNil = &zmq.Error{Op: "zap", Errno: syscall.EINVAL, Detail: "the Authenticator is nil or empty; make one with Start"}

// Close stops the authenticator. Clients that it is about to decide on are refused
// for now (300). The context can have another one as soon as Close returns; until
// then the sockets of zmq.AsCurveServer and its like let nobody in. (libzmq lets
// everybody in, if the options were set one by one without ZapEnforceDomain.)
//
// It does not wait for functions of the policy that do not return, and may be
// called from them; Log can be called a little later still. Further calls wait for
// the same end. Closing the context ends the authenticator as well.
func (a *Authenticator) Close() error {
	if a == nil || a.socket == nil {
		return nil
	}
	// Unbound first: closing alone would free the name some time later. An error
	// says that somebody closed or shut down the context, or this before.
	_ = a.socket.Unbind(endpoint)
	a.end()
	<-a.done
	return nil
}

// Stats counts what an Authenticator has done.
type Stats struct {
	Accepted, Refused uint64 // clients; Refused counts the statuses 300, 400 and 500
	Malformed         uint64 // of the refused: requests that are none, from within the process
	Unlogged          uint64 // decisions for which Log was too slow, or panicked
	Callbacks         int    // clients that the functions of the policy in force are busy with now
}

// Stats returns the counters. It does not block.
func (a *Authenticator) Stats() Stats {
	if a == nil || a.socket == nil {
		return Stats{}
	}
	return Stats{
		Accepted: a.accepted.Load(), Refused: a.refused.Load(), Malformed: a.malformed.Load(), Unlogged: a.unlogged.Load(),
		Callbacks: len(a.rules.Load().slots),
	}
}

// retryAfter is how long the authenticator pauses after a receive failed for want of
// something.
const retryAfter = 10 * time.Millisecond

// serve takes the requests until Close or the context's end.
func (a *Authenticator) serve() {
	defer close(a.done)
	for {
		parts, err := a.socket.RecvMultipartContext(a.life)
		if err == nil {
			a.handle(parts)
			continue
		}
		if a.life.Err() != nil || errors.Is(err, zmq.ErrClosed) || errors.Is(err, zmq.ErrTerminated) {
			break
		}
		// Without an authenticator, libzmq would let everybody in.
		select {
		case <-a.life.Done():
		case <-time.After(retryAfter):
		}
	}
	a.end()
	a.pending.Wait() // all are refused now
	// What came before the name was unbound.
	for {
		parts, err := a.socket.RecvMultipart(zmq.DontWait)
		if err != nil {
			break
		}
		a.handle(parts)
	}
	_ = a.socket.Close()
}

// question is a request on its way through the authenticator.
type question struct {
	envelope
	Request
	rules *rules
	since time.Time
}

func (a *Authenticator) handle(parts [][]byte) {
	e, request, err := parse(parts)
	q := &question{envelope: e, Request: request, since: time.Now()}
	q.rules = a.rules.Load().of(request.Domain)
	if err != nil {
		a.malformed.Add(1)
		a.answer(q, verdict{status: Malformed, text: "malformed request", err: err})
		return
	}
	v, done := q.rules.look(&q.Request)
	switch {
	case done:
		a.answer(q, v)
	case a.life.Err() != nil:
		a.answer(q, closing)
	default:
		a.ask(q)
	}
}

var (
	closing = verdict{status: TryLater, text: "the authenticator is closing"}
	busy    = verdict{status: TryLater, text: "too many requests are being decided (MaxCallbacks)"}
	tooSlow = verdict{status: TryLater, text: "the policy's functions took too long (Timeout)"}
)

// ask has the policy's functions decide, on a goroutine of their own. Whichever
// comes first answers: the functions, the timeout, or the authenticator's end.
// libzmq aborts at a second answer.
func (a *Authenticator) ask(q *question) {
	select {
	case q.rules.slots <- struct{}{}:
	default:
		a.answer(q, busy)
		return
	}
	var answered atomic.Bool
	answer := func(v verdict) {
		if answered.CompareAndSwap(false, true) {
			a.answer(q, v)
			a.pending.Done()
		}
	}
	a.pending.Add(1)
	ctx, cancel := context.WithTimeout(a.life, q.rules.Timeout)
	late := func() verdict {
		if a.life.Err() != nil {
			return closing
		}
		return tooSlow
	}
	stop := context.AfterFunc(ctx, func() { answer(late()) })
	go func() {
		v := verdict{status: Malformed, text: "a function of the policy panicked"}
		returned := false
		defer func() {
			if !returned {
				v.err = &PanicError{Value: recover(), Stack: debug.Stack()}
			}
			if ctx.Err() != nil {
				v = late() // whoever returns because ctx ended has decided nothing
			}
			<-q.rules.slots // before the answer, which may bring the next request
			answer(v)
			stop()
			cancel()
		}()
		v = q.rules.ask(ctx, q.Request)
		returned = true
	}()
}

// answer sends the one reply to a request, and notes the decision.
func (a *Authenticator) answer(q *question, v verdict) {
	var userID string
	var metadata []byte
	if v.status == Accepted {
		var err error
		if userID, err = v.grant.identity(&q.Request); err == nil {
			metadata, err = v.grant.encode()
		}
		if err != nil {
			v = verdict{status: Malformed, text: "the policy granted what cannot be", err: err}
			userID, metadata = "", nil
		}
	}
	if q.answers {
		// It never has to wait: libzmq gives these connections no high-water mark.
		// Whoever went away, or the end of the context, is no concern here.
		_ = a.socket.SendMultipart(q.reply(v, userID, metadata), zmq.DontWait)
	}
	if v.status == Accepted {
		a.accepted.Add(1)
	} else {
		a.refused.Add(1)
	}
	d := Decision{
		Request: q.Request, Version: version, Time: q.since, Took: time.Since(q.since),
		Status: v.status, Text: v.text, UserID: userID, Err: v.err,
	}
	d.password = nil
	if v.status == Accepted {
		d.Metadata = maps.Clone(v.grant.Metadata)
	}
	q.rules.journal.add(d, &a.unlogged)
}
