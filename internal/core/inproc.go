package core

import (
	"strings"
	"sync"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// inprocNames keeps account of a context's inproc names. Its mutex is the last in
// the order of locks: an entry is made under the hold of Socket.mu that changed
// libzmq's own table, so a Close that has been through all sockets finds all.
type inprocNames struct {
	mu      sync.Mutex
	bound   map[string]int      // and how many sockets bound them
	unbound map[string]struct{} // connected before they were bound
}

func inprocName(endpoint string) (string, bool) { return strings.CutPrefix(endpoint, "inproc://") }

func (n *inprocNames) bind(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.bound == nil {
		n.bound = map[string]int{}
	}
	n.bound[name]++
	delete(n.unbound, name)
}

func (n *inprocNames) unbind(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.bound[name]--; n.bound[name] <= 0 {
		delete(n.bound, name)
	}
}

func (n *inprocNames) connect(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.bound[name] > 0 {
		return
	}
	if n.unbound == nil {
		n.unbound = map[string]struct{}{}
	}
	n.unbound[name] = struct{}{}
}

func (n *inprocNames) isBound(name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.bound[name] > 0
}

// settle binds the names that somebody connected to and nobody ever bound, on a
// socket that was made for it. zmq_ctx_term would do so with new sockets, and
// abort the process when it gets none. The socket must be of a type that takes any
// number of peers: a PAIR refuses the second, and libzmq crashes when that is the
// connection of a socket that is being closed.
func (n *inprocNames) settle(reserve libzmq.Socket) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for name := range n.unbound {
		libzmq.Bind(reserve, "inproc://"+name)
	}
}
