// Package workload is the only place where measured workloads are defined: the types and
// numbers of sockets, the messages, how they are received, and what is timed. zbench and
// the benchmarks at the module's root only select workloads and print results.
//
// # What is measured
//
// In one-way patterns (RouterRouter, PushPull, PubSub) a run sends its messages from the
// senders to the receivers as fast as possible. In round-trip patterns (DealerDealer,
// DealerRouter, ReqRep) the senders send requests, and the receiver sends each back. Each
// sender has as many outstanding requests as its Window, and a message is a round trip. A
// PUSH with many receivers distributes its messages evenly, so each receiver gets the
// same number. A PUB sends every message to each receiver, and the result counts the
// messages received.
//
// The receivers are timed, or, in round trips, the clients. The first of them starts the
// clock when it opens the gate at which all others wait. The last one to finish stops the
// clock. The context, the sockets, the threads and the connections are created before the
// run, in Open. Open returns when each pair of connected sockets has exchanged a message,
// or when the publisher has all subscriptions.
//
// With Latency the client also times each round trip and stores the time in memory that
// was allocated before the run. With a window the time of a request includes the wait
// behind earlier requests.
//
// # What makes it fair
//
// The two implementations do the same work on libzmq: the same parts, the same socket
// options, one context each, and a goroutine or a thread for each socket. All but one of
// them wait at the gate before the run. The C side (bench/cfloor) blocks inside
// libzmq where the Go side parks a goroutine, and this difference is measured. A PUB of
// package zmq is an XPUB inside libzmq, so the C side also uses an XPUB.
//
// In a Mode the high-water mark (HWM) is unlimited, unless Marks is set. C calls zmq_send
// for each part and copies the data from one buffer, which is reused. C calls zmq_recv
// for each part and copies the data into one buffer, which is reused. Go makes the
// corresponding calls, except in the modes that exist to avoid them. Batch, ReadAhead and
// Poll append 256 messages to a batch and send it. Batch and Poll receive batches of at
// most 256 messages and check the messages without copying them. C has no such calls.
// Batch and ReadAhead are compared with C's loop for Batch, which sends and receives one
// message at a time. C's loop for Poll does the same after zmq_poll. Drain and PollDrain
// make the calls of these two loops, and also send one message at a time. In round trips,
// Go's Batch receives all available replies and sends as many requests, and its server
// sends back the batch that it received. C uses one loop for this.
//
// With a Strategy or Marks, the HWM is that of HighWater, divided among the peers. The
// data is copied once from the same template into the strategy's memory. Every receive
// waits, or with Poll a Poller or zmq_poll does. Any further copy by libzmq or by the strategy is part of the strategy's
// cost. Receivers of Messages, and C's ZeroCopy, check the data without copying it. The
// others receive it into their own memory. A publisher waits for a subscriber whose queue
// is full (XPubNoDrop), so no subscriber loses a message.
//
// The receivers bind, except that a publisher binds instead. With Curve the binding side
// is also the server. All sockets use the server's key pair, and clients are not
// authenticated.
//
// # What is checked
//
// A run checks the length of every part, the number of messages, and the order of the
// messages of each sender. Every 64th message carries its own number and its sender's
// number in its first 8 bytes. The 63 messages after it carry the same bytes. If there is
// one sender and each receiver gets all its messages, the first and the last of each 64
// are checked. Otherwise all messages are checked. A run fails if it repeats a message,
// loses one, or receives one from another source. After each run, when time and costs
// have been recorded, each sender sends one more message to each receiver. No other
// message may arrive before it, so a repeated message near the end of the run is also
// detected.
//
// Some faults are not detected: two messages among the same 64 that change places, and
// one of these that arrives in place of another. If a message is lost and fewer than 64
// follow, only time reveals the loss: the run waits for its last message until the
// context of Open ends. Duplicate replies to a REQ are handled by libzmq, which drops
// pending replies when the next request is sent.
package workload
