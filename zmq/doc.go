// Package zmq is ZeroMQ for Go: libzmq's sockets, safe for any number of
// goroutines, cancellable with a context.Context, without an OS thread for each
// waiting call.
//
// A [Context] owns sockets; a [Socket] sends and receives messages of one or more
// parts. Every method of every type may be called from any goroutine, unless its
// comment says otherwise. A goroutine that waits in Recv stops nobody from
// sending on the same socket.
//
//	ctx, err := zmq.NewContext()
//	...
//	defer ctx.Close()
//	s, err := ctx.NewSocket(zmq.Rep)
//	...
//	err = s.Bind("tcp://127.0.0.1:5555")
//
// Goroutines that share a socket receive and send whole messages: Send and Recv
// for messages of one part, SendMultipart, RecvMultipart and Messages for others.
// Sending with [SendMore] and receiving part by part is there for code that is
// ported; the parts of one message then belong to one goroutine.
//
// For many small messages, a [Batch] shares one crossing into C among them, and the
// option [ReadAhead] does so for loops of receives. For large ones, a [Message] is
// libzmq's own memory, [NewMessageZeroCopy] lends it Go's, and package pool has
// native memory that is used again.
//
// libzmq is loaded when the first context is made; see [NewContext] for where it
// is looked for. Errors are of type *[Error] and answer errors.Is.
package zmq
