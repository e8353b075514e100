package core

import (
	"strings"
	"sync"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// inprocNames keeps account of a context's inproc names. Its mutex is the last in
// the order of locks: an entry is made under the hold of Socket.mu that changed
// libzmq's own table, so a Close that has been through all sockets finds all.
type inprocNames struct {
	mu      sync.Mutex
	bound   map[string]int      // and how many sockets bound them
	unbound map[string]struct{} // connected before they were bound
	left    map[string]struct{} // of those, left again by a socket, which libzmq does not forget
}

func inprocName(endpoint string) (string, bool) { return strings.CutPrefix(endpoint, "inproc://") }

// greet binds a name for a socket with ZMQ_HELLO_MSG. libzmq sends the message to
// whoever connected before, and aborts if such a socket has left meanwhile: none can
// leave while n.mu is held.
func (n *inprocNames) greet(name string, bind func() int) (rc int, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, left := n.left[name]; left {
		return -int(syscall.EINVAL), errGreetLeft
	}
	if rc = bind(); rc == 0 {
		n.noteBound(name)
	}
	return rc, nil
}

var errGreetLeft = &Fault{syscall.EINVAL, "a socket connected to the name, and was closed or disconnected before it was bound; libzmq aborts when it sends that one a HelloMessage; bind without it, or another name"}

func (n *inprocNames) bind(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.noteBound(name)
}

func (n *inprocNames) noteBound(name string) {
	if n.bound == nil {
		n.bound = map[string]int{}
	}
	n.bound[name]++
	delete(n.unbound, name)
	delete(n.left, name)
}

func (n *inprocNames) unbind(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.bound[name]--; n.bound[name] <= 0 {
		delete(n.bound, name)
	}
}

// connect notes that a socket connected to a name, and reports whether it has to wait
// for somebody to bind that.
func (n *inprocNames) connect(name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.bound[name] > 0 {
		return false
	}
	if n.unbound == nil {
		n.unbound = map[string]struct{}{}
	}
	n.unbound[name] = struct{}{}
	return true
}

// leave notes that a socket is about to be closed, or disconnected from a name. It
// matters if nobody has bound that.
func (n *inprocNames) leave(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, waits := n.unbound[name]; !waits {
		return
	}
	if n.left == nil {
		n.left = map[string]struct{}{}
	}
	n.left[name] = struct{}{}
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
