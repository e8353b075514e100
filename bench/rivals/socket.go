package rivals

// socket is one end of a connection. One goroutine at a time may call its methods.
type socket interface {
	// send sends payload as one part, after the routing id to if it is not nil. The caller
	// may change both after send returns.
	send(to, payload []byte) error
	// recv waits for a message. from is the routing id before the payload, or nil on sockets
	// without routing ids. Both are valid until the next call.
	recv() (from, payload []byte, err error)
	close() error
}

// poller is a socket that can wait for several messages at once.
type poller interface {
	// poll calls drain each time that there are messages, until drain has enough or fails.
	// drain calls try until there is no message.
	poll(drain func() (enough bool, err error)) error
	// try is like recv, but does not wait. ok is false if there is no message.
	try() (from, payload []byte, ok bool, err error)
}

// sockets has both ends of a connection.
type sockets struct {
	near, far socket // near sends first
	probes    bool   // a ROUTER that connects sends an empty message
	stop      func() // makes calls on the sockets fail, from any goroutine; may be nil
	close     func() error
}

// The routing ids of two ROUTERs.
var nearID, farID = []byte("a"), []byte("b")
