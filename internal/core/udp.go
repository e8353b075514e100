package core

import (
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// udpPorts contains the UDP ports that sockets of this process have bound, with the type
// of socket. DISH and DGRAM read their datagrams in different ways. The guard in front of
// libzmq distinguishes them by the port, and libzmq may read once more after a close. So
// a port stays with its type.
var udpPorts = struct {
	sync.Mutex
	types map[int]int
}{types: map[int]int{}}

var errPortShared = &Fault{syscall.EADDRINUSE, "a DISH and a DGRAM of one process cannot use the same UDP port, even one after the other; choose another port"}

// claimPort records the port of a udp endpoint that is about to be bound.
func (s *Socket) claimPort(endpoint string) error {
	port := udpPort(endpoint)
	if port == 0 || s.typ != libzmq.Dish && s.typ != libzmq.Dgram {
		return nil
	}
	udpPorts.Lock()
	defer udpPorts.Unlock()
	if typ, used := udpPorts.types[port]; used && typ != s.typ {
		return errPortShared
	}
	udpPorts.types[port] = s.typ
	libzmq.GuardDish(port, s.typ == libzmq.Dish)
	return nil
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
