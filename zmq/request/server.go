package request

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/fault"
	"github.com/go-zmq/go-zmq/zmq"
)

// Handler answers a request. The handler owns the request's parts. The reply is sent
// right after the handler returns; its parts must not change until it has been sent. A
// nil reply, or one without parts, sends nothing. ctx is done when the ctx of Serve is
// done.
type Handler func(ctx context.Context, request [][]byte) (reply [][]byte)

// Server answers requests. Any number of goroutines may call its methods at the same
// time. Its exported fields must not change after the first call of Serve. A Server whose
// Handle is set is ready for use, on one or several sockets. The other fields are
// optional.
type Server struct {
	// Handle answers each request on a worker goroutine. With more than one worker it must
	// be safe for concurrent use.
	Handle Handler
	// Workers is the number of worker goroutines. It is also the limit on the number of
	// requests that are handled at the same time. 0 or less means runtime.GOMAXPROCS. On
	// a REP it is always 1.
	Workers int
	// Panicked is called on the worker when Handle panics, with the panic's value and the
	// stack from runtime/debug. Its result is the reply. If Panicked is nil or panics
	// itself, there is no reply, and the client tries again or fails after its timeout.
	Panicked func(request [][]byte, value any, stack []byte) (reply [][]byte)

	served, unserved, malformed, panics, undelivered atomic.Uint64
}

// ServerStats holds the counts of a Server.
type ServerStats struct {
	Replies     uint64 // replies sent
	Unanswered  uint64 // requests without a reply, by choice or after a panic
	Malformed   uint64 // messages dropped because there is no empty part before the request
	Panics      uint64 // panics of Handle or Panicked
	Undelivered uint64 // replies dropped: the client is gone or its queue is full
}

// Serve receives requests on a ROUTER, DEALER or REP socket and sends the replies. It
// blocks until ctx is done, the socket fails or the socket is closed, and then until all
// workers have returned. A handler that does not return keeps Serve from returning.
//
// Serve accepts requests from a Client, a REQ, or a broker in between. In front of the
// reply, it sends back the parts of the request up to and including the first empty one.
// When ctx is done, the replies of running handlers are still sent if the send does not
// have to wait. Requests that no worker has received stay in the socket. The caller still
// owns the socket and closes it. The socket must not have a RecvTimeout or SendTimeout.
//
// The error is never nil. It wraps ctx.Err(), or is zmq.ErrClosed, zmq.ErrTerminated or
// the error of the receive. It is EINVAL if the socket has another type, Handle is nil, or
// ctx is nil.
//
// A ROUTER drops replies for clients that do not receive them; with zmq.RouterMandatory
// they are counted. On a DEALER, Serve waits until there is room for the reply. Connect a
// DEALER to one broker only, because with several brokers the DEALER would distribute the
// replies among them in turn. A REP must reply, so Serve sends an empty part if there is
// no reply.
//
// Implements: zmq_msg_recv, zmq_send.
func (v *Server) Serve(ctx context.Context, s *zmq.Socket) error {
	workers, err := v.check(s)
	if err != nil {
		return err
	}
	if ctx == nil {
		return &zmq.Error{Op: "serve", Errno: syscall.EINVAL, Detail: fault.NilContext}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var group sync.WaitGroup
	var once sync.Once
	var first error
	for range workers {
		group.Go(func() {
			var err error = &zmq.Error{Op: "serve", Errno: syscall.ECANCELED, Detail: "Handle called runtime.Goexit"}
			defer func() {
				once.Do(func() { first = err })
				stop() // when one worker stops, all stop
			}()
			err = v.work(ctx, s)
		})
	}
	group.Wait()
	return first
}

// check returns the number of workers.
func (v *Server) check(s *zmq.Socket) (int, error) {
	workers := runtime.GOMAXPROCS(0)
	if v != nil && v.Workers > 0 {
		workers = v.Workers
	}
	switch t := s.Type(); {
	case v == nil || v.Handle == nil:
		return 0, &zmq.Error{Op: "serve", Errno: syscall.EINVAL, Detail: "the Server has no Handle"}
	case s == nil:
		return 0, &zmq.Error{Op: "serve", Errno: syscall.ENOTSOCK, Detail: "the socket is nil; create one with Context.NewSocket"}
	case t == zmq.Rep:
		return 1, nil // a REP receives the next request after the reply
	case t != zmq.Router && t != zmq.Dealer:
		return 0, &zmq.Error{Op: "serve", Errno: syscall.EINVAL, Detail: "a Server needs a ROUTER, DEALER or REP socket, not a " + t.String()}
	}
	return workers, nil
}

// work runs one worker. It returns the reason why the worker stopped.
func (v *Server) work(ctx context.Context, s *zmq.Socket) error {
	for {
		m, err := s.RecvMultipart(ctx)
		if err != nil {
			return err
		}
		envelope, request := m[:0:0], m
		if s.Type() != zmq.Rep {
			n := 1 + slices.IndexFunc(m, func(part []byte) bool { return len(part) == 0 })
			if n == 0 || n == len(m) {
				v.malformed.Add(1)
				continue
			}
			// Appending the reply must not overwrite the request's first part.
			envelope, request = m[:n:n], m[n:]
		}
		reply := v.handle(ctx, request)
		if len(reply) == 0 {
			v.unserved.Add(1)
			if s.Type() != zmq.Rep {
				continue
			}
			reply = [][]byte{nil}
		}
		if err := v.reply(ctx, s, append(envelope, reply...)); err != nil {
			return err
		}
	}
}

// handle calls the handler and recovers its panics.
func (v *Server) handle(ctx context.Context, request [][]byte) (reply [][]byte) {
	defer func() {
		if value := recover(); value != nil {
			v.panics.Add(1)
			reply = v.panicked(request, value)
		}
	}()
	return v.Handle(ctx, request)
}

func (v *Server) panicked(request [][]byte, value any) (reply [][]byte) {
	if v.Panicked == nil {
		return nil
	}
	defer func() {
		if recover() != nil {
			v.panics.Add(1)
			reply = nil
		}
	}()
	return v.Panicked(request, value, debug.Stack())
}

// reply sends a reply. An error stops the worker.
func (v *Server) reply(ctx context.Context, s *zmq.Socket, m [][]byte) error {
	// Usually there is room. One client that receives nothing must not block the
	// others. A broker that receives nothing now will do so later.
	err := s.SendMultipart(context.Background(), m, zmq.DontWait)
	if isAgain(err) && s.Type() != zmq.Router {
		err = s.SendMultipart(ctx, m)
	}
	switch {
	case err == nil:
		v.served.Add(1)
		return nil
	case errors.Is(err, zmq.ErrHostUnreachable), isAgain(err):
		v.undelivered.Add(1)
		return nil
	}
	v.undelivered.Add(1)
	return err
}

// Stats returns the counts of all sockets. It does not block.
func (v *Server) Stats() ServerStats {
	if v == nil {
		return ServerStats{}
	}
	return ServerStats{
		Replies: v.served.Load(), Unanswered: v.unserved.Load(), Malformed: v.malformed.Load(),
		Panics: v.panics.Load(), Undelivered: v.undelivered.Load(),
	}
}
