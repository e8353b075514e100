package zmq

import (
	"context"
	"iter"

	"github.com/go-zmq/go-zmq/internal/core"
)

// Batch may be used by one goroutine at a time. It is a list of messages that are sent or
// received in one call into C. While another goroutine uses the batch, its methods fail
// with EBUSY or report an empty batch. A Batch holds native memory. Reuse it, and close
// it when it is no longer needed.
type Batch struct {
	core core.Batch
	leak *leakWatch
}

// NewBatch returns a batch for at most maxMessages messages, each of any number of parts.
// maxMessages is 1 to 65535; with any other number all operations on the batch fail with
// EINVAL. The batch allocates memory as it fills, and keeps it for reuse.
func NewBatch(maxMessages int) *Batch {
	b := &Batch{}
	b.core.Init(maxMessages)
	b.leak = watchLeak(b, "batch")
	return b
}

// inner returns the batch of package core. A nil Batch behaves like one that NewBatch did
// not create: it is empty, and all operations on it fail with EINVAL.
func (b *Batch) inner() *core.Batch {
	if b == nil {
		return new(core.Batch)
	}
	return &b.core
}

// Append adds a message that consists of parts. The bytes are copied. The error is
// ENOBUFS if the batch is full, EINVAL for a message without parts, or ENOMEM if memory
// is exhausted. If Append fails, nothing is added.
func (b *Batch) Append(parts ...[]byte) error {
	if err := b.inner().Append(parts); err != nil {
		return wrapError("append", "", "", err)
	}
	return nil
}

// Len returns the number of messages in the batch.
func (b *Batch) Len() int { return b.inner().Len() }

// At returns message i, counted from 0, or nil if there is none. Its parts are views of
// the batch's memory. They are valid until the next call of any method except Len, At and
// All; no lock protects them from another goroutine that makes such a call. SendMessage
// may send a part, and MoveTo may move it out; the part in the batch is then empty.
func (b *Batch) At(i int) Multipart {
	if b == nil {
		return nil // not b.inner(), with which this would not be inlined
	}
	return multipartOf(b.core.At(i))
}

// All returns an iterator over the indexes and messages. The rules of At apply to the
// parts.
func (b *Batch) All() iter.Seq2[int, Multipart] {
	return func(yield func(int, Multipart) bool) {
		for i := 0; ; i++ {
			p := b.At(i)
			if p == nil || !yield(i, p) {
				return
			}
		}
	}
}

// Skip drops the first n messages, or all if there are fewer, and returns their number.
// Use Skip to drop a message that cannot be sent.
func (b *Batch) Skip(n int) int { return b.inner().Skip(n) }

// Reset empties the batch and keeps its memory. Received messages are released in one
// call into C.
//
// Implements: zmq_msg_close.
func (b *Batch) Reset() { b.inner().Reset() }

// Close empties the batch and frees its memory. The batch may be used again afterwards.
// Further calls do nothing. The error is EBUSY while another goroutine uses the batch.
//
// Implements: zmq_msg_close.
func (b *Batch) Close() error {
	if b == nil {
		return nil
	}
	if err := b.core.Close(); err != nil {
		return wrapError("close", "", "", err)
	}
	b.leak.close()
	return nil
}

// SendBatch sends the messages of b in order. As long as the socket has room for them, one
// call into C sends up to 1024 messages or 256 KiB, and other calls on the socket can come
// between two of these. It returns the number of messages sent. Sent messages are removed
// from b. If SendBatch fails, the unsent messages stay in b. Each message is sent whole
// or not at all.
//
// It blocks like Send does; SendTimeout bounds the whole call. Appended messages are
// copied; received messages are forwarded without a copy. SendMore is refused with EINVAL.
// While parts sent with SendMore are pending, the error is ErrState.
//
// If a peer disconnects in the middle of a message, the message is lost. It is removed
// from b and not counted, and the error says so. Any other error leaves the message that
// could not be sent as the first of b. Use b.Skip(1) to remove one that can never be
// sent, such as one that the type of the socket does not allow, or one to an unknown peer
// of a ROUTER with RouterMandatory.
//
// Implements: zmq_send, zmq_msg_send.
func (s *Socket) SendBatch(ctx context.Context, b *Batch, flags ...Flag) (sent int, err error) {
	c, f := s.core(), flagsOf(flags)
	if c == nil || ctx == nil || f&SendMore != 0 {
		return 0, s.unusableWhole(ctx)
	}
	sent, err = c.SendBatch(ctx, b.inner(), f&DontWait != 0)
	return sent, sendError(err)
}

// RecvBatch waits for a message and moves all messages that have arrived into b, up to
// the limit of b. It returns their number. Messages are always whole: b grows to hold all
// parts of the last one. The messages are views of native memory; see [Batch.At] for how
// long they are valid. The previous content of b is released, even if nothing is
// received, except on EINVAL.
//
// It blocks like Recv does. A receiver that takes many messages leaves none for the other
// receivers of the socket. With several workers on one socket, a smaller limit spreads
// the work more evenly. If an earlier Recv left parts of a message, they come first, as
// one message. An XPUB with XPubManual applies Subscribe to the last message taken, so
// receive its messages one by one.
//
// Implements: zmq_msg_recv.
func (s *Socket) RecvBatch(ctx context.Context, b *Batch, flags ...Flag) (n int, err error) {
	c := s.core()
	if c == nil || ctx == nil {
		return 0, s.unusable("recv")
	}
	n, err = c.RecvBatch(ctx, b.inner(), flagsOf(flags)&DontWait != 0)
	return n, recvError(err)
}
