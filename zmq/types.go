package zmq

import (
	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/rules"
)

// SocketType is the type of a socket. It determines the messaging pattern.
type SocketType int

// The socket types of libzmq. Server and the types after it belong to libzmq's draft API:
// [Context.NewSocket] returns ErrNotSupported for them if [Has]("draft") is false.
const (
	Pair    SocketType = libzmq.Pair
	Pub     SocketType = libzmq.Pub
	Sub     SocketType = libzmq.Sub
	Req     SocketType = libzmq.Req
	Rep     SocketType = libzmq.Rep
	Dealer  SocketType = libzmq.Dealer
	Router  SocketType = libzmq.Router
	Pull    SocketType = libzmq.Pull
	Push    SocketType = libzmq.Push
	XPub    SocketType = libzmq.XPub
	XSub    SocketType = libzmq.XSub
	Stream  SocketType = libzmq.Stream
	Server  SocketType = libzmq.Server
	Client  SocketType = libzmq.Client
	Radio   SocketType = libzmq.Radio
	Dish    SocketType = libzmq.Dish
	Gather  SocketType = libzmq.Gather
	Scatter SocketType = libzmq.Scatter
	Dgram   SocketType = libzmq.Dgram
	Peer    SocketType = libzmq.Peer
	Channel SocketType = libzmq.Channel
)

// String returns libzmq's name for the socket type, such as "PUSH".
func (t SocketType) String() string { return rules.Type(t).String() }

// Version returns the version of the libzmq in use. It returns zeros if no libzmq can be
// loaded.
//
// Implements: zmq_version.
func Version() (major, minor, patch int) { return libzmq.Version() }

// Library says which libzmq runs, for a log line at the start of a program: the name under
// which it was loaded, such as "libzmq.so.5", or the package that contains it. It returns ""
// if libzmq cannot be loaded. It does not block after the first use of libzmq, and is safe
// for concurrent use.
func Library() string { return libzmq.Path() }

// Has reports whether the libzmq in use was built with a capability: "ipc", "pgm", "tipc",
// "norm", "curve", "gssapi", "vmci", "draft", "WS" or "WSS". It returns false for unknown
// names, and if no libzmq can be loaded.
//
// "guard" is a capability of go-zmq: it keeps libzmq from aborting the process in three
// cases that a remote peer can cause (rows 3, 40 and 57 of docs/safety.md). It is active
// on Linux on amd64 and arm64, except in static programs or if the environment has
// GOZMQ_GUARD=off.
//
// Implements: zmq_has.
func Has(capability string) bool { return libzmq.Has(capability) }
