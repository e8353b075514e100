// Package poller waits for many sockets and file descriptors at once, at a cost that
// follows those that are ready, not those that are there.
//
// A [Poller] is level-triggered: a socket is reported as long as it is ready, whatever
// was received from it, sent on it, read ahead or set meanwhile, by whichever
// goroutine. zmq_poll gives the same, but looks at each socket on each call. Here the
// kernel tells which sockets something happened to (epoll on Linux, kqueue on macOS
// and the BSDs), and only those, and those that were ready the last time, are looked
// at. A goroutine that waits holds no OS thread.
//
// A [Reactor] calls a handler for each event, and for timers, all on one goroutine.
//
// Where there is neither epoll nor kqueue, and with the build tag zmq_poll_portable,
// zmq_poll does the kernel's part, with all descriptors each time and a thread for
// each Poller that waits.
//
// # Why no ready socket is forgotten
//
// The queue holds the sockets that the next Poll looks at. A socket is left out of it
// only if a look, under its mutex and after it processed all commands, found that it
// is not ready. What makes it ready later either comes as a command of libzmq, and
// then its descriptor makes an edge when the command comes, and where epoll is used
// another one if somebody else processes it first; or it is an operation or an option
// set on this socket, and then core touches the socket, which puts it into the queue.
// (Where edges do not show that others processed a command, all operations touch.) A
// touch during a look puts it into the queue as well. A Poll sleeps only if, after it
// let itself be woken by edges and touches, there was neither edge nor queue.
package poller
