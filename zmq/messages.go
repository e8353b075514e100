package zmq

import (
	"context"
	"iter"
)

// Messages returns an iterator over the messages that arrive. Each value is valid until
// the next step: its parts are views of native memory, which the next step reuses.
//
// Each step blocks like RecvMultipart does. The loop ends after the first error, such as
// ErrClosed, ErrAgain when RecvTimeout has passed, or an error that wraps ctx.Err().
// Several goroutines may iterate over one socket; each message goes to one of them.
//
// Implements: zmq_msg_recv.
func (s *Socket) Messages(ctx context.Context) iter.Seq2[Multipart, error] {
	return func(yield func(Multipart, error) bool) {
		var p Multipart
		defer func() { _ = p[:cap(p)].Close() }()
		for {
			if err := s.RecvMultipartMessage(ctx, &p); err != nil {
				yield(nil, err)
				return
			}
			if !yield(p, nil) {
				return
			}
		}
	}
}
