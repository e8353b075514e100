// Package workload is the one place where a measured workload is defined: which
// sockets, how many, which messages, received how, timed from where to where. zbench
// and the benchmarks at the module's root only choose and print.
//
// # What is measured
//
// One way (RouterRouter, PushPull, PubSub) a run sends its messages from the senders to
// the receivers, as fast as they go. There and back (DealerDealer, DealerRouter,
// ReqRep) senders ask and the receiver sends back what it got; each sender has as many
// requests under way as its Window says, and a message is a round trip. A PUSH with
// many receivers deals its messages out, so each gets the same number; a PUB sends
// every message to each, and what is counted is what they received.
//
// The clock belongs to those that receive, or, there and back, to those that ask: the
// first of them starts it when it opens the gate at which all others wait, and the last
// one to be done stops it. Making the context, the sockets, the threads and the
// connections is done before, in Open, which ends when each pair of connected sockets
// has exchanged a message, or when the publisher has all subscriptions.
//
// With Latency each round trip is timed besides, by who asks, into memory that is there
// beforehand. With a window the time of a request includes its waiting behind those
// before it.
//
// # What makes it fair
//
// The two implementations do the same work on libzmq: the same parts, the same
// options on the sockets, a context of its own, a goroutine or a thread for each socket,
// all but one waiting at the gate beforehand. The C side (internal/libzmq/cfloor) blocks
// inside libzmq where the Go side parks a goroutine; that difference is what is
// measured. A PUB of package zmq is an XPUB inside libzmq, so C's is one, too.
//
// In a Mode there is no high-water mark without Marks. C makes one zmq_send for each part, with
// the data copied from one buffer that is used again, and one zmq_recv for each
// part, with the data copied into one buffer that is used again. Go makes the calls
// that stand for these, except in the modes that are there to do without them:
// Batch, ReadAhead and Poll append 256 messages to a batch and send it, Batch and Poll
// receive batches of as many at most and look at the messages where they lie. C has no
// such calls, so its loop of Batch, which sends and receives one by one, is what Batch and
// ReadAhead are compared with, and its loop of Poll does the same after zmq_poll. There and back Go's Batch takes all replies that are there,
// sends as many requests, and its server sends back the batch that it received; what C
// has one loop for.
//
// With a Strategy, or Marks, the high-water marks are those of HighWater, of which each of many
// peers has its share, the data is copied once from the same template into the
// strategy's memory, and every receive waits. What libzmq or the strategy copies further
// is the strategy's cost. Those that receive Messages, and C's ZeroCopy, look at the
// data where it lies; the others receive it into their own memory. A publisher waits for
// the subscriber that is full (XPubNoDrop), so that none loses a message.
//
// Who binds is the receivers, except that a publisher does; with Curve it is also the
// server, whose one pair of keys all sockets have. Nobody authenticates them.
//
// # What is checked
//
// Every part's length, the number of messages, and their order, which is that of their
// sender. Every 64th message has its number in its first 8 bytes, beside its sender's,
// and those that follow have the same. With one sender and all its messages at each
// receiver, the first and the last of each 64 are looked at, otherwise all: a run that
// repeats or loses a message, or gets one from elsewhere, fails. After each run, when
// time and costs are known, one more message goes from each sender to each receiver, and
// nothing may come before it: so a repeat among the last fails, too. Two that change
// places among the same 64 go unnoticed, and one that is there instead of another of
// these. A loss after which fewer than 64 come is noticed by nothing but time: that run
// waits for its last message until the context of Open ends. Replies that come twice to a
// REQ are libzmq's: it drops what is there when the next request is sent.
package workload
