package zmq

import (
	"context"
	"iter"
)

// Messages returns an iterator over the messages that arrive, for use in a range
// loop. Each value is valid until the next step: its parts are views of native
// memory that is then reused. The loop ends after the first error, which is
// ctx.Err() wrapped when ctx ended, ErrClosed when the socket was closed. Several
// goroutines may iterate over one socket: each message goes to one of them.
// zmq_msg_recv.
func (s *Socket) Messages(ctx context.Context) iter.Seq2[Multipart, error] {
	return func(yield func(Multipart, error) bool) {
		var p Multipart
		defer func() { _ = p[:cap(p)].Close() }()
		for {
			if err := s.recvMultipartMessage(ctx, &p, 0); err != nil {
				yield(nil, err)
				return
			}
			if !yield(p, nil) {
				return
			}
		}
	}
}
