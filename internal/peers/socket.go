package peers

// socket is one end of a rival's connection. Its methods are for one goroutine at a
// time.
type socket interface {
	// send sends payload as one part, behind the routing id to if that is not nil. The
	// caller may overwrite both when it returns.
	send(to, payload []byte) error
	// recv waits for a message. from is the routing id that came before the payload,
	// nil on sockets that have none. Both are valid until the next call.
	recv() (from, payload []byte, err error)
	close() error
}

// poller is a socket that can wait for more than one message at a time.
type poller interface {
	// poll calls drain each time that messages are there, until it has enough or
	// fails. drain is to call try until that has nothing.
	poll(drain func() (enough bool, err error)) error
	// try is recv that does not wait: ok is false when there is nothing.
	try() (from, payload []byte, ok bool, err error)
}

// sockets are both ends, connected.
type sockets struct {
	near, far socket // the one that sends first, and the other
	probes    bool   // a ROUTER that connects says so with an empty message
	stop      func() // makes calls on the sockets fail, from any goroutine; may be nil
	close     func() error
}

// The routing ids of a ROUTER's two ends.
var nearID, farID = []byte("a"), []byte("b")
