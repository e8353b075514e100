package zmq

import "github.com/go-zmq/go-zmq/internal/libzmq"

// Handle returns libzmq's handle of a socket that only C uses from now on.
func Handle(s *Socket) libzmq.Socket { return s.core().Handle() }
