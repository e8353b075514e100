// Package workload is the one place where a measured workload is defined: which
// sockets, which messages, received how, timed from where to where. zbench and
// the benchmarks at the module's root only choose and print.
//
// # What is measured
//
// A run sends Messages messages from one socket to another, as fast as they go.
// The clock belongs to the receiver: it starts when the receiver opens the
// sender's gate, and stops when the last message is in the receiver's memory.
// Making the context, the sockets, the threads and the connection is done before,
// in Open, which ends when messages have been exchanged.
//
// # What makes it fair
//
// The two implementations do the same work on libzmq: the same parts, the same
// options on the sockets, a context of its own, the sender's goroutine or thread
// waiting at the gate beforehand. The C side (internal/libzmq/cfloor) blocks
// inside libzmq where the Go side parks a goroutine; that difference is what is
// measured.
//
// In a Mode there is no high-water mark. C makes one zmq_send for each part, with
// the data copied from one buffer that is used again, and one zmq_recv for each
// part, with the data copied into one buffer that is used again. Go makes the calls
// that stand for these, except in the modes that are there to do without them:
// Batch and ReadAhead append to a batch and send it, Batch receives batches and
// looks at the messages where they lie. C has neither, so its loop of Batch is what
// both are compared with.
//
// With a Strategy the high-water marks are those of HighWater, the data is copied
// once from the same template into the strategy's memory, and every receive waits.
// What libzmq or the strategy copies further is the strategy's cost. Those that
// receive Messages, and C's ZeroCopy, look at the data where it lies; the others
// receive it into their own memory.
//
// # What is checked
//
// Every part's length, the number of messages, and the number that every 64th
// message carries: a run that loses, repeats or reorders one fails.
package workload
