package core

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// udpPorts contains the UDP ports that sockets of this process are bound to. DISH and
// DGRAM read their datagrams in different ways. The guard in front of libzmq
// distinguishes them by the port.
var udpPorts = struct {
	sync.Mutex
	bound map[int]*portUsers
}{bound: map[int]*portUsers{}}

type portUsers struct{ typ, n int }

var errPortShared = &Fault{syscall.EADDRINUSE, "a DISH and a DGRAM of one process cannot use the same UDP port; choose another"}

// claimPort records the port of a udp endpoint that is about to be bound, and returns it.
// It returns 0 if there is no port to record.
func (s *Socket) claimPort(endpoint string) (int, error) {
	port := udpPort(endpoint)
	if port == 0 {
		return 0, nil
	}
	udpPorts.Lock()
	defer udpPorts.Unlock()
	users := udpPorts.bound[port]
	switch {
	case users == nil:
		users = &portUsers{typ: s.typ}
		udpPorts.bound[port] = users
		libzmq.GuardDish(port, s.typ == libzmq.Dish)
	case users.typ != s.typ:
		return 0, errPortShared
	}
	users.n++
	return port, nil
}

// releasePort undoes claimPort. The guard stays, because libzmq may read once more.
func (s *Socket) releasePort(port int) {
	if port == 0 {
		return
	}
	udpPorts.Lock()
	defer udpPorts.Unlock()
	if users := udpPorts.bound[port]; users != nil {
		if users.n--; users.n == 0 {
			delete(udpPorts.bound, port)
		}
	}
}

// unbindPort releases the port of an endpoint that was unbound. s.mu is held.
func (s *Socket) unbindPort(endpoint string) {
	if i := slices.Index(s.ports, udpPort(endpoint)); i >= 0 {
		s.releasePort(s.ports[i])
		s.ports = slices.Delete(s.ports, i, i+1)
	}
}

func udpPort(endpoint string) int {
	address, ok := strings.CutPrefix(endpoint, "udp://")
	if !ok {
		return 0
	}
	port, err := strconv.ParseUint(address[strings.LastIndexByte(address, ':')+1:], 10, 16)
	if err != nil {
		return 0
	}
	return int(port)
}
