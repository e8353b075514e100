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

// endpoint is the address to which libzmq sends its requests.
const endpoint = "inproc://zeromq.zap.01"

// Authenticator decides which clients may connect to the sockets of one context. Any
// number of goroutines may use it at the same time. Create one with Start and close it
// with Close. It uses one socket of the context and one goroutine, which sleeps between
// requests. The functions of the policy run on other goroutines, at most MaxCallbacks at
// a time.
type Authenticator struct {
	socket  *zmq.Socket
	rules   atomic.Pointer[rules]
	journal *journal

	life    context.Context // cancelled by Close
	end     context.CancelFunc
	pending sync.WaitGroup // requests without an answer, for which functions are running
	done    chan struct{}  // closed when the socket is closed

	accepted, refused, malformed atomic.Uint64
}

// Start starts the authenticator of a context. The authenticator checks each new
// connection to server sockets that ask for it with zmq.AsCurveServer, zmq.AsPlainServer,
// zmq.AsNullServer or the option ZapDomain. Call Start before those sockets are bound.
// Start does not block, and it copies the policy.
//
// A context has at most one authenticator: a second Start fails with EADDRINUSE until the
// first authenticator is closed. An invalid policy returns EINVAL, and a closed context
// returns zmq.ErrClosed.
//
// The authenticator is a ZAP handler: its socket is bound to inproc://zeromq.zap.01 (RFC
// 27).
func Start(zctx *zmq.Context, p Policy) (*Authenticator, error) {
	r, err := newRules(p)
	if err != nil {
		return nil, err
	}
	// The socket has none of the context's SocketDefaults.
	socket, err := zctx.NewSocket(core.BareRouter, zmq.Linger.To(0), zmq.SendHWM.To(0), zmq.RecvHWM.To(0))
	if err != nil {
		return nil, err
	}
	_, err = zmq.FD.Get(socket) // fails if the socket could not wait for requests
	if err == nil {
		err = socket.Bind(endpoint)
	}
	if err != nil {
		// Report this error, not that of Close.
		_ = socket.Close()
		if errors.Is(err, syscall.EADDRINUSE) {
			return nil, &zmq.Error{Op: "zap", Endpoint: endpoint, Errno: syscall.EADDRINUSE, Detail: "the context already has an authenticator; use SetPolicy to change it, or Close it first"}
		}
		return nil, err
	}
	a := &Authenticator{socket: socket, journal: newJournal(), done: make(chan struct{})}
	a.rules.Store(r)
	a.life, a.end = context.WithCancel(context.Background())
	go a.serve()
	return a, nil
}

// SetPolicy replaces the policy for new connections, and copies the new one. Existing
// connections stay. The old policy still decides requests whose functions are already
// running. If the new policy is invalid, SetPolicy returns EINVAL and keeps the old one.
// It does not block.
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

var errNil = &zmq.Error{Op: "zap", Errno: syscall.EINVAL, Detail: "the Authenticator is nil or empty; create one with Start"}

// Close stops the authenticator and waits until its socket is closed. Clients that still
// wait for a decision are refused for now (300). After Close returns, the context can
// have another authenticator. Until it has one, sockets with zmq.AsCurveServer and
// similar settings refuse every client. (These settings include ZapEnforceDomain; without
// it, libzmq would accept every client.)
//
// Close does not wait for functions of the policy, which may themselves call Close. Log
// may still be called for queued decisions after Close returns, even while another
// authenticator calls the same function. Further calls wait until the first one is done.
// Closing the context also stops the authenticator.
func (a *Authenticator) Close() error {
	if a == nil || a.socket == nil {
		return nil
	}
	// Unbind first, because Close alone would free the name some time later. An error
	// means that the context is closed or shut down, or that this was closed before.
	_ = a.socket.Unbind(endpoint)
	a.end()
	<-a.done
	return nil
}

// Stats holds the counts of an Authenticator since Start.
type Stats struct {
	Accepted, Refused uint64 // decisions; a client that tries again counts again; Refused counts 300, 400 and 500
	Malformed         uint64 // included in Refused: malformed requests, which come from within the process
	Unlogged          uint64 // decisions that were dropped because Log was too slow, or for which it panicked
	Callbacks         int    // clients for which functions of the current policy run, even after the Timeout
}

// Stats returns the counters. It does not block.
func (a *Authenticator) Stats() Stats {
	if a == nil || a.socket == nil {
		return Stats{}
	}
	return Stats{
		Accepted: a.accepted.Load(), Refused: a.refused.Load(), Malformed: a.malformed.Load(), Unlogged: a.journal.unlogged.Load(),
		Callbacks: len(a.rules.Load().slots),
	}
}

// retryAfter is the pause of the authenticator after a failed receive, for example because
// memory ran out.
const retryAfter = 10 * time.Millisecond

// serve answers requests until Close or the end of the context.
func (a *Authenticator) serve() {
	defer close(a.done)
	for {
		parts, err := a.socket.RecvMultipart(a.life)
		if err == nil {
			a.handle(parts)
			continue
		}
		if a.life.Err() != nil || errors.Is(err, zmq.ErrClosed) || errors.Is(err, zmq.ErrTerminated) {
			break
		}
		// Keep running: without an authenticator, libzmq would accept every client.
		select {
		case <-a.life.Done():
		case <-time.After(retryAfter):
		}
	}
	a.end()
	a.pending.Wait() // all of them are refused now
	// Answer the requests that arrived before Unbind.
	for {
		parts, err := a.socket.RecvMultipart(context.Background(), zmq.DontWait)
		if err != nil {
			break
		}
		a.handle(parts)
	}
	_ = a.socket.Close()
}

// question is a request without an answer.
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
	busy    = verdict{status: TryLater, text: "too many requests at once (MaxCallbacks)"}
	tooSlow = verdict{status: TryLater, text: "the policy's functions exceeded the Timeout"}
)

// ask calls the policy's functions on a new goroutine. The functions, the timeout and the
// end of the authenticator race to answer. Only the first one does, because libzmq aborts at
// a second answer.
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
				v = late() // a function that returns because ctx is done has decided nothing
			}
			<-q.rules.slots // free the slot first: the answer may lead to the next request
			answer(v)
			stop()
			cancel()
		}()
		v = q.rules.ask(ctx, q.Request)
		returned = true
	}()
}

// answer sends the reply to a request, and logs the decision.
func (a *Authenticator) answer(q *question, v verdict) {
	var userID string
	var metadata []byte
	if v.status == Accepted {
		// The program may change its map once the client has the answer.
		v.grant.Metadata = maps.Clone(v.grant.Metadata)
		var err error
		if userID, err = v.grant.identity(&q.Request); err == nil {
			metadata, err = v.grant.encode()
		}
		if err != nil {
			v = verdict{status: Malformed, text: "the policy returned an invalid Grant", err: err}
			userID, metadata = "", nil
		}
	}
	if q.answers {
		// This never blocks, because libzmq gives these connections no high-water mark.
		// An error means that the client or the context is gone, which is harmless.
		_ = a.socket.SendMultipart(context.Background(), q.reply(v, userID, metadata), zmq.DontWait)
	}
	if v.status == Accepted {
		a.accepted.Add(1)
	} else {
		a.refused.Add(1)
	}
	d := Decision{
		Request: q.Request, Version: version, Time: q.since, Took: time.Since(q.since),
		Status: v.status, Text: v.text, UserID: userID, Metadata: v.grant.Metadata, Err: v.err,
	}
	d.password = nil
	a.journal.add(q.rules.Log, d)
}
