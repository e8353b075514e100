// Package core makes libzmq's sockets usable by any number of goroutines: it
// holds the mutex, the waiting, the closing, and nothing that a user would see.
//
// # The protocol
//
// A libzmq socket may be used by one thread at a time. Holding a lock while
// blocked would make a waiting receiver stop every sender, and blocking inside C
// would pin an OS thread and could not be cancelled. So:
//
//   - L, the socket's mutex, is held for each call into libzmq, and each such
//     call returns at once (ZMQ_DONTWAIT). Options and closing included.
//   - Waiting happens outside L. A goroutine whose attempt found nothing enters
//     a list of waiters under the same hold of L, and parks on a channel.
//   - One goroutine a socket, the watcher (watch.go), sleeps in Go's netpoller
//     on a duplicate of ZMQ_FD, and wakes the waiters that can go on.
//
// The difficulty is that ZMQ_FD does not tell of messages. It becomes readable
// when another thread puts a command ("this pipe is no longer empty", "there is
// room again") into the socket's empty mailbox, and the next call that processes
// the mailbox resets it, whichever goroutine makes that call. Readiness is an
// edge, and anyone may swallow it.
//
// # Why no wake-up is lost
//
// Facts about libzmq, from its mailbox, signaler and ypipe:
//
//	F1  A command that is put into a mailbox whose reader found it empty writes
//	    to the eventfd, after the command can be read.
//	F2  A full run through the mailbox ends only when it is empty and the eventfd
//	    was not readable. A receive that says EAGAIN has made a full run, and so
//	    has reading ZMQ_EVENTS. A send has perhaps made one.
//	F3  Whether a receive or a send can go on changes only in a run through the
//	    mailbox, or by an operation or an option set on this very socket.
//
// Facts about the waiting:
//
//	K1  A write to an eventfd, and (Linux) a read that resets it, make an edge
//	    that epoll reports as "writable"; Go registers descriptors edge-triggered
//	    for both directions.
//	K2  Edges that come while the watcher runs are remembered by the netpoller:
//	    it then does not park.
//
// The rules:
//
//	R1  A goroutine enters a list only if its attempt, under the same hold of L,
//	    ended with a full run after which it still could not go on (run.go). A
//	    send that said EAGAIN alone does not count, for it may not have looked:
//	    the shim reads ZMQ_EVENTS and tries again.
//	R2  An operation that ends while others wait in its own direction reads
//	    ZMQ_EVENTS before it releases L, and wakes the first of them if the
//	    events say so (attempt, notify). One command can announce many messages;
//	    this rule hands them on from receiver to receiver.
//	R3  The watcher waits for "writable" (K1). When it wakes it takes L, and while
//	    anyone waits it reads ZMQ_EVENTS and wakes the first waiter of each
//	    direction that the events allow. It also reads them while the socket has
//	    connections to end (attend), unless the program holds the descriptor.
//	R4  A waiter that was woken, but leaves because its context ended or its time
//	    passed, reads ZMQ_EVENTS and wakes the next: it passes the wake-up on.
//	R5  Rare operations (options, bind, connect, ...) read ZMQ_EVENTS and wake as
//	    in R3, since they may change F3 without a command.
//	R6  A message that the socket holds, because it was read ahead, taken out by a
//	    disconnect or by a sender (takeout.go), or given back, counts as one that can
//	    be received: no receiver enters the list while there is one, an operation that
//	    leaves one wakes the first receiver, and one that takes the last while receivers wait reads
//	    ZMQ_EVENTS as in R2 (handOver): libzmq may have more, of which nobody was
//	    told because there was something held.
//
//	R7  An observer (observe.go) is told when what it found in a look may have
//	    changed without an edge: after each operation on REQ and REP, and R5's; and
//	    where it does not see thefts, after every operation.
//
//	R8  An operation on REQ or REP makes the other direction possible without a command.
//	    One that succeeds while goroutines wait reads ZMQ_EVENTS and wakes as in R3.
//
// Claim: when L is free, a waiter w that could go on has been woken, or another
// waiter of its direction has been woken and has yet to run, or an edge is on its
// way to the watcher.
//
// Proof. Take the command c that enabled w, by F3. When w entered its list, c was
// unprocessed (R1), so by F2 its eventfd write comes after that. If no call
// resets the eventfd, the write's edge reaches the watcher (K1, K2), which
// processes c and wakes by R3. If some call on the socket processed c first, that
// call read the eventfd, and the read is an edge too (K1): the watcher comes,
// finds c's effect in ZMQ_EVENTS, and wakes by R3. Enabled are often several
// waiters by one c; the first is woken, and whatever it does, succeed (R2), fail
// (then nobody can go on: its attempt ended with a full run, and it re-enters by
// R1) or leave (R4), it wakes the next or finds that none can go on. An operation
// from outside that takes the message away has R2 as well. An effect without a
// command has R5, messages on this side of libzmq have R6. It ends: a watcher that reads nothing makes no edge. ∎
//
// Where reading is no edge (everything but Linux; seesThefts is false there), R2
// is applied by every operation while anyone waits in any direction: the thief
// itself wakes. The watcher then waits for "readable".
//
// Some senders' ZMQ_POLLOUT is no promise: ROUTER, STREAM, XPUB and PUB always
// report it, while a send to one full peer fails. Their senders are kept in a
// list of their own, all of them try again at each edge, and where thefts make no
// edge, after a few milliseconds. They never wait "until POLLOUT": that would be
// a busy loop.
//
// Where there is no watcher, because no file descriptor is left for it, who waits tries
// again after a few milliseconds, too, and starts the watcher as soon as there is one.
//
// A receiver that found nothing, on a socket that has got a message or two after each of its
// last waits, naps before it waits (nap.go): for a millisecond at most, on its thread, and
// a few times more when what woke it was nothing to receive. In a conversation it spins
// before that, for a tenth of a millisecond and until other goroutines have had a turn. It
// is in no list then and the claim does not speak of it; after that it tries again, and if
// that fails it enters the list by R1. What a nap may cost is therefore a few
// milliseconds, once a socket: see there.
//
// A watchdog (watchdog.go) looks at sockets on which someone has waited long, and
// counts a rescue if it finds a waiter that should have been woken. The tests
// assert that it never does.
//
// What each step defends against:
//
//	mutex around every call        two threads in one socket: abort, corruption
//	no blocking under L            a parked receiver stopping all senders
//	try, then register, under one  a message that arrives in between and whose
//	  hold of L                    edge has already been used up
//	ZMQ_EVENTS after EAGAIN (send) libzmq's throttle, which says EAGAIN unseen
//	duplicate of ZMQ_FD            closing libzmq's own descriptor: abort;
//	                               its number being reused after zmq_close
//	watching "writable"            a signal swallowed by another goroutine
//	tokens, one for each removal   double wake-ups, wake-ups of a later wait
//	whole messages under one hold  interleaved parts; a disconnect between two
//	                               parts: abort
//
// # Order of locks
//
// A batch's claim before Socket.mu; Context.mu before Socket.mu before sink.mu before that of the sink's socket (sink.go)
// before the accounts of inproc names and of lingering sockets, before the counts and queues of connections, before those
// of observers; the descriptor is closed with neither held, since
// closing waits for the watcher's callback, which takes Socket.mu. A proxy locks
// several sockets at once, in the order of their making (several.go), after its own
// mutexes; nobody else holds two.
package core
