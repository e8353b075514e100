package zmq

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
)

// BindAny is Bind, and returns the endpoint that was bound, with what libzmq chose
// for wildcards: "tcp://127.0.0.1:*" gives "tcp://127.0.0.1:49502" or the like,
// "ipc://*" a path. Unlike LastEndpoint after Bind it cannot return what another
// goroutine has bound. What it returns is what Connect and Unbind take:
//
//	endpoint, err := s.BindAny("tcp://127.0.0.1:*")
//	...
//	defer s.Unbind(endpoint)
//
// libzmq: zmq_bind, ZMQ_LAST_ENDPOINT.
func (s *Socket) BindAny(endpoint string) (bound string, err error) {
	err = s.attachTo(context.Background(), verbBind, endpoint, func(c *core.Socket, endpoint string) error {
		err := c.Bind(endpoint)
		bound = c.Endpoint()
		return err
	})
	if err != nil {
		return "", err
	}
	return bound, nil
}

// BindRange binds a free port between first and last, both included, and returns
// the endpoint. prefix is what comes before the port, such as "tcp://127.0.0.1". The
// ports are tried from a random one on, so that many programs find one quickly; when
// all are taken, the error is EADDRINUSE. It does not wait.
//
// libzmq: zmq_bind.
func (s *Socket) BindRange(prefix string, first, last int) (bound string, err error) {
	if first < 1 || last > 65535 || first > last {
		return "", &Error{Op: verbBind, Endpoint: prefix, Errno: syscall.EINVAL, Detail: "there are no ports from " +
			strconv.Itoa(first) + " to " + strconv.Itoa(last) + "; name two between 1 and 65535, the lower one first"}
	}
	ports := last - first + 1
	start := rand.IntN(ports)
	for i := range ports {
		port := first + (start+i)%ports
		bound, err = s.BindAny(prefix + ":" + strconv.Itoa(port))
		if !errors.Is(err, syscall.EADDRINUSE) {
			return bound, err
		}
	}
	return "", &Error{Op: verbBind, Endpoint: prefix, Errno: syscall.EADDRINUSE, Detail: "all ports from " +
		strconv.Itoa(first) + " to " + strconv.Itoa(last) + " are in use"}
}

// Attach binds and connects the socket to several endpoints, which a text such as
// one from a configuration names: with commas between them, and before each a "@" if
// it is to be bound or a ">" if it is to be connected, as in
// "@tcp://*:5555,>inproc://jobs". It stops at the first that fails, which the error
// names; those before it stay. Like Bind and Connect it does not wait for peers.
//
// libzmq: zmq_bind, zmq_connect.
func (s *Socket) Attach(endpoints string) error {
	for _, text := range strings.Split(endpoints, ",") {
		endpoint, attach := strings.TrimSpace(text), s.Bind
		switch {
		case strings.HasPrefix(endpoint, "@"):
		case strings.HasPrefix(endpoint, ">"):
			attach = s.Connect
		default:
			return &Error{Op: "attach", Endpoint: endpoint, Errno: syscall.EINVAL, Detail: `it begins with neither "@" (bind) nor ">" (connect); put one of them before each endpoint`}
		}
		if err := attach(endpoint[1:]); err != nil {
			return err
		}
	}
	return nil
}
