package request

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/zmq"
)

// Handler answers a request. The parts are the handler's to keep; those that it
// returns must not change until the reply was sent, which is at once. It returns no
// parts, nil, to send no reply. Its context ends with that of Serve.
type Handler func(ctx context.Context, request [][]byte) (reply [][]byte)

// Server answers requests. Its methods may be called by any number of goroutines; its
// exported fields may not change once Serve was called. The zero value with a Handle
// is ready for use, for one socket or for several.
type Server struct {
	// Handle answers each request, on one of the worker goroutines. It must be safe
	// for concurrent use if there is more than one.
	Handle Handler
	// Workers is how many requests are handled at the same time, and so how many are
	// taken from the socket. 0 is runtime.GOMAXPROCS. On a REP it is always 1.
	Workers int
	// Panicked, if it is not nil, is called with what Handle panicked with, on the
	// worker, with the goroutine's stack as runtime/debug has it. What it returns is
	// the reply. If it is nil, or panics itself, there is no reply, and the client
	// tries again or gives up.
	Panicked func(request [][]byte, value any, stack []byte) (reply [][]byte)

	served, unserved, malformed, panics, undelivered atomic.Uint64
}

// ServerStats counts what a Server did.
type ServerStats struct {
	Replies     uint64 // sent
	Unanswered  uint64 // requests to which there was no reply, by choice or after a panic
	Malformed   uint64 // messages dropped for want of an empty part before the request
	Panics      uint64 // of Handle or Panicked
	Undelivered uint64 // replies dropped: no way to the client, or its queue is full
}

// Serve receives requests on a ROUTER, DEALER or REP socket and sends the replies,
// until ctx ends or the socket fails or is closed. It takes requests as a Client, a
// REQ, or a broker between them and this socket sends them: what precedes the first
// empty part is returned before the reply. It starts the workers and returns when the
// last of them has; requests that are being handled when ctx ends are answered, as
// long as that needs no waiting. Those that were not taken stay in the socket, which
// is still the caller's to close. Options that bound calls, such as RecvTimeout, must
// not be set on it.
//
// Its error, never nil, wraps ctx.Err(), or is ErrClosed, ErrTerminated or what
// receiving failed with. EINVAL is for other types of sockets, and no Handle.
//
// A ROUTER does not wait for a client that takes no replies: they are dropped, and
// with zmq.RouterMandatory counted. A DEALER waits for room; connect it to one broker
// only, since it would deal out replies to several in turn. A REP has to answer: in
// place of no reply it sends an empty part. A handler that does not return keeps its
// worker, and Serve, from ending.
//
// zmq_msg_recv, zmq_send.
func (v *Server) Serve(ctx context.Context, s *zmq.Socket) error {
	workers, err := v.check(s)
	if err != nil {
		return err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var group sync.WaitGroup
	var once sync.Once
	var first error
	for range workers {
		group.Go(func() {
			err := core.NewError("serve", syscall.ECANCELED, "Handle ended its goroutine with runtime.Goexit", nil)
			defer func() {
				once.Do(func() { first = err })
				stop() // what ended one worker ends the others
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
		return 0, core.NewError("serve", syscall.EINVAL, "the Server has no Handle", nil)
	case s == nil:
		return 0, core.NewError("serve", syscall.ENOTSOCK, "the socket is nil; make one with Context.NewSocket", nil)
	case t == zmq.Rep:
		return 1, nil // it takes the next request after the reply
	case t != zmq.Router && t != zmq.Dealer:
		return 0, core.NewError("serve", syscall.EINVAL, "a Server needs a ROUTER, DEALER or REP socket, this is a "+t.String(), nil)
	}
	return workers, nil
}

// work is one worker. It returns why it ended.
func (v *Server) work(ctx context.Context, s *zmq.Socket) error {
	for {
		m, err := s.RecvMultipartContext(ctx)
		if err != nil {
			return err
		}
		envelope, request := m[:0:0], m
		if s.Type() != zmq.Rep {
			n := 1 + emptyPart(m)
			if n == 0 || n == len(m) {
				v.malformed.Add(1)
				continue
			}
			// A reply that is appended must not overwrite the request's first part.
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

// emptyPart returns the place of the first empty part, or -1.
func emptyPart(m [][]byte) int {
	for i, part := range m {
		if len(part) == 0 {
			return i
		}
	}
	return -1
}

// handle calls the handler and contains its panics.
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

// reply sends a reply. An error is one that ends the worker.
func (v *Server) reply(ctx context.Context, s *zmq.Socket, m [][]byte) error {
	// Mostly there is room. A client that takes nothing must not stop the others; a
	// broker that takes nothing now will.
	err := s.SendMultipart(m, zmq.DontWait)
	if isAgain(err) && s.Type() != zmq.Router {
		err = s.SendMultipartContext(ctx, m)
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

// Stats returns the counts so far, of all sockets.
func (v *Server) Stats() ServerStats {
	if v == nil {
		return ServerStats{}
	}
	return ServerStats{
		Replies: v.served.Load(), Unanswered: v.unserved.Load(), Malformed: v.malformed.Load(),
		Panics: v.panics.Load(), Undelivered: v.undelivered.Load(),
	}
}
