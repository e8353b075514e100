// Package zmqexpvar shows the statistics of sockets under /debug/vars, with the
// standard library's package expvar. It is a package of its own because expvar brings
// an HTTP server into the program.
package zmqexpvar

import (
	"expvar"
	"sync"

	"github.com/go-zmq/go-zmq/zmq"
)

// Sockets is a variable with the statistics of sockets by name. It may be used by any
// goroutine. Make one with [New].
type Sockets struct {
	mu      sync.Mutex
	sockets map[string]*zmq.Socket
}

// New makes a Sockets without publishing it; expvar.Publish does that, once for each
// name in a process.
func New() *Sockets { return &Sockets{sockets: map[string]*zmq.Socket{}} }

// Add shows a socket's statistics under a name, in place of what had the name.
func (v *Sockets) Add(name string, s *zmq.Socket) {
	v.mu.Lock()
	v.sockets[name] = s
	v.mu.Unlock()
}

// Remove ends the showing of a name.
func (v *Sockets) Remove(name string) {
	v.mu.Lock()
	delete(v.sockets, name)
	v.mu.Unlock()
}

// Value returns the statistics by name, for the caller to keep.
func (v *Sockets) Value() any {
	v.mu.Lock()
	defer v.mu.Unlock()
	stats := make(map[string]zmq.Stats, len(v.sockets))
	for name, s := range v.sockets {
		stats[name] = s.Stats()
	}
	return stats
}

// String returns the statistics as JSON, an object by name, as expvar.Var has it.
func (v *Sockets) String() string { return expvar.Func(v.Value).String() }
