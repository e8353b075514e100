// Package core lets any number of goroutines share a libzmq socket. It implements locking,
// waiting and closing. Nothing in it is visible to users of package zmq.
//
// # The protocol
//
// Two threads must not use a libzmq socket at the same time. A goroutine that blocks inside
// libzmq would hold an OS thread and could not be cancelled, and one that waits under a
// mutex would stop all others. Hence:
//
//   - The socket's lock is held during each call into libzmq, and no such call blocks
//     (ZMQ_DONTWAIT). The lock is a type (package guard): what it guards is a held (state.go),
//     which only taking the lock hands out, and operations that need the lock are methods of
//     held. Below, mu is this lock.
//   - A goroutine that has to wait enters a list of waiters while it still has the lock from
//     its last failed attempt. Then it parks on a channel.
//   - Before the first goroutine parks, it starts one more goroutine for the socket, the
//     watcher (watch.go). It waits in Go's netpoller for a duplicate of ZMQ_FD and wakes
//     waiters that can continue. On Windows, a few threads do that for all sockets.
//   - Before it parks, a receiver tries again for a short time (package park). After many
//     such spins with success the watcher stops, and the next goroutine that parks starts
//     a new one. The watcher never stops while a goroutine waits.
//
// This is how a send or a receive goes:
//
//	         attempt under mu
//	                |
//	done <----------+----------> EAGAIN: nothing to receive, or no room; with DontWait
//	  ^                             |     or a timeout of 0 the call returns an error
//	  |                             v  receivers only, for a short time
//	  +<----------------- spin (spinFirst); ends in the same three ways as parking
//	  |                             |
//	  |                             v
//	  |                  in a list, then parked  <---------------------+
//	  |                             |                                  |
//	  |          +------------------+------------------+               |
//	  |          | woken, or        | ctx is done      | closed or     |
//	  |          v time passed      v                  v terminated    |
//	  +<-- attempt under mu   if it was woken,     returns the error   |
//	             |            wakes the next (R4),                     |
//	             |            returns the error of ctx                 |
//	             +-- EAGAIN: parks again, if there is time ------------+
//
// ZMQ_FD does not report messages. It becomes readable when another thread puts a command
// into the empty mailbox of the socket, such as "this pipe has messages again". The next
// call that processes the mailbox resets it, whichever goroutine makes that call. So
// readiness is edge-triggered, and any goroutine can consume the edge. Below, "signal"
// means a readable eventfd, and "consume" means to reset it.
//
// # Why no wake-up is lost
//
// Facts about libzmq's mailbox, signaler and ypipe:
//
//	F1  A command that is put into a mailbox whose reader found it empty writes to the
//	    eventfd. Before the reader processes commands again, it reads that eventfd.
//	F2  Processing the whole mailbox ends when it is empty and the eventfd was not
//	    readable. A receive that fails with EAGAIN has processed the whole mailbox, and so
//	    has a read of ZMQ_EVENTS. A send may have processed it.
//	F3  If an attempt has failed, or ZMQ_EVENTS did not report its direction, the direction
//	    becomes possible only when commands are processed, or by an operation or an option
//	    on this socket. A peer announces a message only if this socket found the pipe
//	    empty, and room only after it has read a number of messages.
//
// Facts about waiting for an eventfd:
//
//	K1  A write to an eventfd makes an edge of epoll. On Linux, so does a read that resets
//	    it. Go registers descriptors edge-triggered and for both directions, and an eventfd
//	    can always be written: each edge ends a wait for "writable". A wait for "readable"
//	    would miss the edge of a read.
//	K2  The netpoller remembers edges that arrive while the watcher runs. The watcher then
//	    does not park.
//	K3  A new watcher runs once before it waits for the first time.
//
// The rules of this package:
//
//	R1  A goroutine enters a list only if its attempt failed under the same hold of mu, and
//	    the attempt processed the whole mailbox. EAGAIN from a send does not show that, so
//	    the shim (send.c) reads ZMQ_EVENTS, and tries again if they report room. There is
//	    one exception: a proxy also waits while another goroutine receives a message part
//	    by part. The receive of the last part wakes it.
//	R2  An operation that ends while goroutines wait in its direction reads ZMQ_EVENTS
//	    before it releases mu, and wakes the first waiter of each direction that the events
//	    allow to continue. One command can announce many messages. This rule passes them
//	    from receiver to receiver.
//	R3  The watcher waits for "writable" (K1). When it runs it takes mu. If goroutines wait,
//	    it reads ZMQ_EVENTS and wakes the first waiter of each direction that can continue,
//	    or applies R9 to the senders. On an attentive socket (attend), for example after a
//	    Disconnect, it reads them in any case, unless the program has read the option FD.
//	R4  A waiter that was woken, but leaves because its context has ended, reads ZMQ_EVENTS
//	    and wakes the next one. If its time has passed it makes another attempt instead.
//	R5  If goroutines wait, operations such as Bind, Connect and the setting of an option
//	    read ZMQ_EVENTS and wake waiters as in R3. Such an operation may change what is
//	    possible without a command (F3).
//	R6  The socket itself holds messages that were read ahead, taken out by Disconnect, by
//	    Unbind or by a sender (takeout.go), taken to count subscriptions, or given back.
//	    While it holds one, no receiver enters the list, and an operation that leaves one
//	    wakes the first receiver. If receivers wait when an operation takes the last one, it
//	    reads ZMQ_EVENTS as in R2 (handOver): libzmq may hold more messages without having
//	    signaled them.
//	R7  An observer (observe.go), which is a poller, is told when the events that it
//	    last read may have changed without an edge: after each operation on REQ and REP, and
//	    after those of R5. Where it cannot see that a signal was consumed, it is told after
//	    every operation.
//	R8  An operation on REQ or REP makes the other direction possible without a command. If
//	    it succeeds while goroutines wait, it reads ZMQ_EVENTS and wakes them as in R3. A
//	    proxy and a Wait can wait for the turn of their direction.
//	R9  ROUTER, STREAM, XPUB, PUB, SERVER, PEER and RADIO always report ZMQ_POLLOUT, even if
//	    a send to a full peer fails. Their waiting senders are a crowd (crowd.go) in groups:
//	    messages with the same first part, which is a routing id or a topic, can be sent at
//	    the same time or not at all. Where R3 and R5 wake the first waiter of a direction,
//	    all groups become due instead. The first waiter of each due group is woken in turn,
//	    as far as a budget for attempts in vain allows, and a timer goes on with the others
//	    until none is due. An attempt of a group that fails ends its being due. A sender that
//	    was woken and ends its wait in another way wakes the next one of its group.
//
// These keep the rules, as functions under the lock unless a package is named:
//
//	R1      attempt.go tries, wait.go enters the list; package park has the lists
//	R2, R8  attempt.go (resolve) and events.go (notify)
//	R3      watch.go and events.go
//	R4      wait.go
//	R5      events.go (configure)
//	R6      package inbox holds the messages; recv.go (handOver), channel.go, takeout.go and
//	        subscriptions.go wake the receivers
//	R7      events.go (touch) and observe.go
//	R9      crowd.go; package park has the groups and their budget
//
// Claim. While mu is free, one of these holds for each waiter that could continue: it has
// been woken, another waiter of its direction has been woken and has not run yet, or an edge
// has not reached the watcher yet, or the watcher has received an edge and is about to take
// mu. In a crowd, "another waiter of its direction" is one of its group, and there is one
// more case: its group is due, and the timer of R9 is set.
//
// Proof. First consider a waiter that can continue because of a command c (F3). When it
// entered its list, c was not processed, because its attempt failed (R1). So by F2 a write
// to the eventfd, for c or for a command before it, comes later. There are two cases:
//
//   - No call resets the eventfd. The edge of the write reaches the watcher (K1, K2), or the
//     watcher is new and runs anyway (K3). It processes c and wakes a waiter (R3).
//   - A call on the socket processed c first. By F1 that call has read the eventfd, which
//     makes an edge, too (K1). The watcher finds the effect of c in ZMQ_EVENTS and wakes a
//     waiter (R3).
//
// One command may allow several waiters to continue, and only the first is woken. If it
// succeeds, it wakes the next one (R2). If its attempt fails, no waiter of that direction
// can continue, because the attempt processed the whole mailbox. The waiter enters the list
// again (R1). If it leaves, it wakes the next one (R4). A goroutine that did not wait and
// takes the message follows R2 as well. In a crowd, the same holds for each group by R9: the
// effect of c does not show in ZMQ_EVENTS, so it makes all groups due, and an attempt that
// fails later has seen it. Changes without a command are covered by R5 and R8, messages
// outside libzmq by R6. The watcher does not run forever: it makes an edge only if it resets
// the eventfd. ∎
//
// # Where the proof does not apply
//
// On systems other than Linux, a read that resets the descriptor makes no edge (seesThefts
// is false). There every operation applies R2 while goroutines wait in any direction: the
// goroutine that consumes a signal wakes the waiter itself. The watcher waits for
// "readable".
//
// The senders of a crowd (R9) rely on each theft making an edge. Where it does not, all groups
// become due every few milliseconds while senders wait (tendCrowd).
//
// If there is no descriptor left for a watcher, waiters try again after a few milliseconds.
// They start the watcher as soon as there is one.
//
// A receiver that spins is in no list (spinFirst). When the spin ends, it has just made an
// attempt that failed, and enters the list under the same hold of mu by R1. So a wake-up
// that it missed costs nothing.
//
// If a message arrives while ctx is cancelled, a receive may return the message or the
// error, whether it spins or is parked. The message is not lost.
//
// The watchdog (watchdog.go) inspects sockets on which goroutines wait, at intervals. If
// several consecutive inspections find a waiter that should have been woken, the watchdog
// wakes the waiter and counts a rescue. The tests assert that this never happens.
//
// # What each step prevents
//
//	a mutex around every call       two threads in one socket: abort, corruption
//	no blocking under the mutex     a waiting receiver that stops all senders
//	attempt and entry into a list   a message that arrives in between and whose edge was
//	  under one hold of the mutex   consumed already
//	ZMQ_EVENTS after EAGAIN         a send that fails without having looked at the mailbox
//	a duplicate of ZMQ_FD           closing libzmq's descriptor: abort; waiting for its
//	                                number after another socket got it
//	waiting for "writable"          a signal that another goroutine consumed
//	one token on a waiter's channel two wake-ups for one wait
//	  when it is taken off a list
//	whole messages under one hold   mixed parts; a disconnect between two parts: abort
//
// # Order of locks
//
// Each is taken before those below it:
//
//  1. a batch's claim
//  2. Context.mu
//  3. the lock of a socket, one at a time
//  4. sink.mu, then the mutex of the sink's socket (sink.go)
//  5. duplicating (package watch), closing (close.go), inprocNames.mu, lingers.mu, that of
//     udpPorts, and on Windows those of the shards (package watch)
//  6. the counts and queues of connections
//  7. those of observers
//
// A watcher's descriptor is closed without any of them, because closing it waits for the
// watcher, which takes the lock of its socket.
package core
