// Package poller waits for many sockets and file descriptors at once. The cost of a
// wait depends on how many of them are ready, not on how many there are.
//
// A [Poller] is level-triggered: it reports a socket as long as the socket is ready,
// regardless of which goroutine sends, receives, reads ahead or sets options. zmq_poll
// gives the same guarantee, but looks at every socket in every call. A Poller instead
// lets the kernel report which sockets changed (with epoll on Linux, and kqueue on macOS
// and the BSDs). It looks only at those, and at the ones that were ready in the last
// poll. A waiting goroutine holds no OS thread.
//
// A [Reactor] calls a handler for each event and a function for each timer, all on one
// goroutine.
//
// On systems without epoll and kqueue, or with the build tag zmq_poll_portable, a Poller
// waits with zmq_poll. That call looks at all descriptors every time, and needs one
// thread for each waiting Poller.
package poller

// Why no ready socket is forgotten:
//
// A Poller has a queue of the sockets that the next Poll checks. A socket stays out of
// the queue only if a check found that it was not ready. The check holds the socket's
// mutex, and runs after the socket has processed all its commands.
//
// Two things can make the socket ready later. The first is a command of libzmq: its
// arrival causes an edge on the socket's descriptor. With epoll, a second edge follows if
// another goroutine processes the command first. The second is an operation or an option
// on this socket: package core then touches the socket, which puts it into the queue. On
// systems whose edges do not show that another goroutine processed a command, every
// operation touches the socket. A touch during a check also puts the socket into the
// queue.
//
// A Poll first arms itself, so that edges and touches wake it. It then sleeps only if
// there is neither an edge nor a queued socket.
