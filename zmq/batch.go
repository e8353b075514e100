package zmq

import (
	"context"
	"iter"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
)

// Batch is a list of messages that are sent, or received, in one crossing into C.
// It is for one goroutine at a time; a call that finds another one at work fails
// with EBUSY, or sees an empty batch. It holds native memory: use it again and
// again, and Close it in the end.
type Batch struct {
	core core.Batch
	leak *leakWatch
}

// NewBatch makes a batch for up to maxMessages messages, 1 to 65535, whatever the
// number of their parts. It takes memory as it fills, and keeps that for the next
// time. With a number out of range every use of the batch fails with EINVAL.
func NewBatch(maxMessages int) *Batch {
	b := &Batch{}
	b.core.Init(maxMessages)
	b.leak = watchLeak(b, "batch")
	return b
}

func errNilBatch(op string) error {
	return &Error{Op: op, Errno: syscall.EINVAL, Detail: "the Batch is nil; make one with NewBatch"}
}

// Append adds a message of one or more parts, which are copied. It fails with
// ENOBUFS when the batch has as many messages as it may, and with ENOMEM without
// memory; then nothing was added.
func (b *Batch) Append(parts ...[]byte) error {
	if b == nil {
		return errNilBatch("append")
	}
	if err := b.core.Append(parts); err != nil {
		return wrapError("append", "", "", err)
	}
	return nil
}

// Len returns the number of messages.
func (b *Batch) Len() int {
	if b == nil {
		return 0
	}
	return b.core.Len()
}

// At returns message i, counted from 0, or nil if there is none. Its parts are
// views: they are valid until the next call that changes the batch, which is any
// but Len, At and All; nothing protects them from another goroutine that makes one. A part may be sent or moved on with SendMessage; that
// leaves an empty part here.
func (b *Batch) At(i int) Multipart {
	if b == nil {
		return nil
	}
	return multipartOf(b.core.At(i))
}

// All returns an iterator over the messages with their indexes; for their parts
// the rules of At hold.
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

// Skip drops the first n messages and returns how many there were: for a message
// that cannot be sent.
func (b *Batch) Skip(n int) int {
	if b == nil {
		return 0
	}
	return b.core.Skip(n)
}

// Reset empties the batch and releases what it received, in one crossing if that
// was anything. zmq_msg_close.
func (b *Batch) Reset() {
	if b != nil {
		b.core.Reset()
	}
}

// Close empties the batch and frees its memory. It may be called again, and the
// batch may be used again. It fails with EBUSY while another goroutine uses the
// batch. zmq_msg_close.
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

// SendBatch sends the messages of b in order, in one crossing while the socket has
// room for them, and waits for room as Send does: SendTimeout bounds the whole
// call. It returns how many messages were sent; these have left b. When it fails,
// those that were not sent are still in b, and none of them is half sent. What was
// appended is copied, what was received goes on without a copy. No other
// goroutine's message comes in between unless SendBatch has to wait.
//
// A message that its peer left in the middle of is lost: it has left b, is not
// counted, and the error says so. When a message can never be sent, such as one to
// an unknown peer of a ROUTER with RouterMandatory, b.Skip(1) takes it out.
// zmq_send, zmq_msg_send.
func (s *Socket) SendBatch(b *Batch, flags ...Flag) (sent int, err error) {
	return s.sendBatch(nil, b, flagsOf(flags))
}

// SendBatchContext is SendBatch, and ends when ctx does, with an error that wraps
// ctx.Err(). zmq_send, zmq_msg_send.
func (s *Socket) SendBatchContext(ctx context.Context, b *Batch, flags ...Flag) (sent int, err error) {
	return s.sendBatch(ctx, b, flagsOf(flags))
}

func (s *Socket) sendBatch(ctx context.Context, b *Batch, f Flag) (int, error) {
	c, err := s.live("send")
	if err != nil {
		return 0, err
	}
	if b == nil {
		return 0, errNilBatch("send")
	}
	if f&SendMore != 0 {
		return 0, errSendMoreWhole
	}
	sent, err := c.SendBatch(ctx, &b.core, f&DontWait != 0)
	return sent, sendError(err)
}

// RecvBatch waits for a message as Recv does, takes all that are there, up to the
// limit of b, and returns their number. They are whole: b grows rather than leave
// parts behind. What b held before is released, also when the call fails. The
// messages are views of native memory and nothing is copied; see At for how long
// they are valid. A receiver that takes many leaves none for its neighbours: with
// several workers on one socket, a smaller limit shares the work more evenly. After a
// Recv that left parts of a message, those come first, as a message. An XPUB with
// XPubManual applies Subscribe to the last message taken: receive one by one there.
// zmq_msg_recv.
func (s *Socket) RecvBatch(b *Batch, flags ...Flag) (n int, err error) {
	return s.recvBatch(nil, b, flagsOf(flags))
}

// RecvBatchContext is RecvBatch, and ends when ctx does, as RecvContext. zmq_msg_recv.
func (s *Socket) RecvBatchContext(ctx context.Context, b *Batch, flags ...Flag) (n int, err error) {
	return s.recvBatch(ctx, b, flagsOf(flags))
}

func (s *Socket) recvBatch(ctx context.Context, b *Batch, f Flag) (int, error) {
	if b == nil {
		return 0, errNilBatch("recv")
	}
	c, err := s.live("recv")
	if err != nil {
		b.Reset()
		return 0, err
	}
	n, err := c.RecvBatch(ctx, &b.core, f&DontWait != 0)
	return n, recvError(err)
}
