package typed

import "github.com/go-zmq/go-zmq/zmq"

// open keeps an error from becoming an interface that holds a nil socket.
func open[T any](c *zmq.Context, t zmq.SocketType, settings []zmq.Setting) (typed T, err error) {
	s, err := c.NewSocket(t, settings...)
	if err != nil {
		return typed, err
	}
	return any(s).(T), nil
}

// NewPair makes a PAIR socket, as zmq.Context.NewSocket does. zmq_socket.
func NewPair(c *zmq.Context, settings ...zmq.Setting) (Pair, error) {
	return open[Pair](c, zmq.Pair, settings)
}

// NewReq makes a REQ socket, as zmq.Context.NewSocket does. zmq_socket.
func NewReq(c *zmq.Context, settings ...zmq.Setting) (Req, error) {
	return open[Req](c, zmq.Req, settings)
}

// NewRep makes a REP socket, as zmq.Context.NewSocket does. zmq_socket.
func NewRep(c *zmq.Context, settings ...zmq.Setting) (Rep, error) {
	return open[Rep](c, zmq.Rep, settings)
}

// NewDealer makes a DEALER socket, as zmq.Context.NewSocket does. zmq_socket.
func NewDealer(c *zmq.Context, settings ...zmq.Setting) (Dealer, error) {
	return open[Dealer](c, zmq.Dealer, settings)
}

// NewRouter makes a ROUTER socket, as zmq.Context.NewSocket does. zmq_socket.
func NewRouter(c *zmq.Context, settings ...zmq.Setting) (Router, error) {
	return open[Router](c, zmq.Router, settings)
}

// NewPub makes a PUB socket, as zmq.Context.NewSocket does. zmq_socket.
func NewPub(c *zmq.Context, settings ...zmq.Setting) (Pub, error) {
	return open[Pub](c, zmq.Pub, settings)
}

// NewSub makes a SUB socket, as zmq.Context.NewSocket does. zmq_socket.
func NewSub(c *zmq.Context, settings ...zmq.Setting) (Sub, error) {
	return open[Sub](c, zmq.Sub, settings)
}

// NewXPub makes an XPUB socket, as zmq.Context.NewSocket does. zmq_socket.
func NewXPub(c *zmq.Context, settings ...zmq.Setting) (XPub, error) {
	return open[XPub](c, zmq.XPub, settings)
}

// NewXSub makes an XSUB socket, as zmq.Context.NewSocket does. zmq_socket.
func NewXSub(c *zmq.Context, settings ...zmq.Setting) (XSub, error) {
	return open[XSub](c, zmq.XSub, settings)
}

// NewPush makes a PUSH socket, as zmq.Context.NewSocket does. zmq_socket.
func NewPush(c *zmq.Context, settings ...zmq.Setting) (Push, error) {
	return open[Push](c, zmq.Push, settings)
}

// NewPull makes a PULL socket, as zmq.Context.NewSocket does. zmq_socket.
func NewPull(c *zmq.Context, settings ...zmq.Setting) (Pull, error) {
	return open[Pull](c, zmq.Pull, settings)
}

// NewStream makes a STREAM socket, as zmq.Context.NewSocket does. zmq_socket.
func NewStream(c *zmq.Context, settings ...zmq.Setting) (Stream, error) {
	return open[Stream](c, zmq.Stream, settings)
}
