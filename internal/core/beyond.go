package core

import "github.com/go-zmq/go-zmq/internal/libzmq"

// SetThreadNames puts a text before the names of the context's threads.
func (c *Context) SetThreadNames(prefix string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == stateClosed {
		return ErrClosed
	}
	if len(prefix) == 4 {
		prefix += "\x00" // libzmq takes any four bytes for an int
	}
	return errorOf(libzmq.SetContextText(c.handle, libzmq.CtxThreadNamePrefix, prefix))
}

// PeerState returns for which events the peer with a routing id is ready.
func (s *Socket) PeerState(id []byte) (int, error) {
	return s.configure(func(h libzmq.Socket) int { return libzmq.PeerState(h, id) })
}
