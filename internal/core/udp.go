package core

import (
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/fault"
	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/rules"
)

// udpPorts contains the UDP ports that sockets of this process have bound. DISH and DGRAM
// read their datagrams in different ways. The guard in front of libzmq distinguishes them
// by the port, and libzmq may read once more after a close. So a port stays with its type.
var udpPorts = struct {
	sync.Mutex
	claims map[int]portClaim
}{claims: map[int]portClaim{}}

type portClaim struct {
	socketType rules.Type
	binds      int
}

var errPortShared = fault.New(syscall.EADDRINUSE, "a DISH and a DGRAM of one process cannot use the same UDP port, even one after the other; choose another port")

// claimPort records the port of a udp endpoint that is about to be bound.
func (s *shared) claimPort(endpoint string) error {
	port := udpPort(endpoint)
	if port == 0 || s.typ != libzmq.Dish && s.typ != libzmq.Dgram {
		return nil
	}
	udpPorts.Lock()
	defer udpPorts.Unlock()
	claim, used := udpPorts.claims[port]
	if used && claim.socketType != s.typ {
		return errPortShared
	}
	udpPorts.claims[port] = portClaim{s.typ, claim.binds + 1}
	libzmq.GuardDish(port, s.typ == libzmq.Dish)
	return nil
}

// freePort reverses claimPort after a bind that failed.
func (s *shared) freePort(endpoint string) {
	port := udpPort(endpoint)
	udpPorts.Lock()
	defer udpPorts.Unlock()
	claim := udpPorts.claims[port]
	if claim.socketType != s.typ {
		return
	}
	if claim.binds--; claim.binds > 0 {
		udpPorts.claims[port] = claim
		return
	}
	delete(udpPorts.claims, port)
	libzmq.GuardDish(port, false)
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
