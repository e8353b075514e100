package zmq

import (
	"sync"
	"weak"

	"github.com/go-zmq/go-zmq/internal/core"
)

// openSockets holds the open sockets of a context. Its references are weak, so that the
// report of a socket that was dropped without Close (see [DebugVariable]) still works.
type openSockets struct {
	mu      sync.Mutex
	sockets map[*core.Socket]weak.Pointer[Socket]
}

func (o *openSockets) add(s *Socket) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.sockets == nil {
		o.sockets = map[*core.Socket]weak.Pointer[Socket]{}
	}
	o.sockets[s.core()] = weak.Make(s)
}

func (o *openSockets) remove(c *core.Socket) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.sockets, c)
}

// Sockets returns the open sockets of the context, in no particular order, for programs
// that watch all of them, such as a metrics collector. Sockets that go-zmq creates for its own use and
// sockets that became garbage without a Close are not included. Sockets does not block, and
// a closed context has none.
//
// libzmq has no such function.
func (c *Context) Sockets() []*Socket {
	if c == nil || c.core == nil {
		return nil
	}
	c.open.mu.Lock()
	defer c.open.mu.Unlock()
	var sockets []*Socket
	for _, w := range c.open.sockets {
		if s := w.Value(); s != nil {
			sockets = append(sockets, s)
		}
	}
	return sockets
}
