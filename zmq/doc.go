// Package zmq is a Go binding of libzmq, the ZeroMQ library. Any number of goroutines may
// use a socket. Every call that can block takes a context.Context, and a blocked call
// holds no OS thread.
//
// A [Context] owns sockets. A [Socket] sends and receives messages of one or more parts.
// Any goroutine may call every method of every type, unless the comment of the type or
// method says otherwise. A goroutine that waits in Recv does not keep other goroutines
// from sending on the same socket.
//
//	zctx, err := zmq.NewContext()
//	...
//	defer zctx.Close()
//	s, err := zctx.NewSocket(zmq.Rep)
//	...
//	err = s.Bind("tcp://127.0.0.1:5555")
//	...
//	request, err := s.RecvString(ctx)
//
// Goroutines that share a socket should send and receive whole messages: with Send and
// Recv if every message has one part, otherwise with SendMultipart, RecvMultipart and
// Messages. [SendMore] and receiving part by part exist for ported code. While one
// goroutine sends the parts of a message one by one, no other goroutine may send on the
// socket. The same holds for receiving.
//
// A [Batch] sends or receives many small messages in one call into C. Other receives can
// also take several small messages in one call into C; see the option [ReadAhead]. A
// [Message] holds a part in libzmq's memory, and [NewMessageZeroCopy] sends Go memory
// without copying it. Package pool reuses native memory.
//
// The first call that needs libzmq loads it. Usually that is [NewContext], whose comment
// describes the search. Errors are of type *[Error] or *[TruncatedError]. Test them with
// errors.Is and errors.As.
package zmq
