package zmq

import (
	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// SocketType is the type of a socket, which decides its messaging pattern.
type SocketType int

// The socket types of libzmq. Those from Server on are drafts: a libzmq built
// with its draft API has them, and [Context.NewSocket] refuses them with
// ErrNotSupported where [Has]("draft") is false.
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

// String returns libzmq's name of the type, such as "PUSH".
func (t SocketType) String() string { return core.TypeName(int(t)) }

// Version returns the version of the libzmq in use, or zeros when none can be
// loaded: zmq_version.
func Version() (major, minor, patch int) { return libzmq.Version() }

// Has reports whether the libzmq in use was built with a capability: "ipc",
// "pgm", "tipc", "norm", "curve", "gssapi", "vmci", "draft", "WS" or "WSS". It is
// false for a name that libzmq does not know, and when no libzmq can be loaded:
// zmq_has.
func Has(capability string) bool { return libzmq.Has(capability) }
