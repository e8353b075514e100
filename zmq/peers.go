package zmq

import (
	"net/netip"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/internal/peertable"
)

// PeerInfo describes a connection of a socket. It is a copy, which does not change.
type PeerInfo struct {
	ID       uint64 // of the connection: unique in the process, never reused; 0: unknown
	Endpoint string // of the socket: the bound endpoint for incoming connections, otherwise the connected one

	// Address is the address of the peer. It is invalid over ipc and inproc, and of a
	// connection that ended before go-zmq could look at it.
	Address netip.AddrPort

	Process   int       // the peer's process over ipc, if the system says so, otherwise 0
	Outgoing  bool      // this socket has connected
	RoutingID []byte    // with TrackPeers, once a message of the peer has been received; see there
	UserID    string    // with TrackPeers, the same: what the authenticator named the peer
	Since     time.Time // of the handshake; zero before
}

// Peers returns the peers that are connected at this moment, in the order in which their
// connections were made. It does not block. Any goroutine may call it; after Close there are
// none.
//
// A peer is listed once its handshake has succeeded and go-zmq knows on which connection,
// because libzmq reports only the endpoint. While another connection to that endpoint stalls in
// its handshake, new peers are counted at once (see WaitConnected), but they may be listed only
// when the stalled connection ends or is cut off (see HandshakeInterval). With
// TrackConnections.To(false) only peers over inproc are listed.
//
// libzmq has no such function.
func (s *Socket) Peers() []PeerInfo {
	if s.core() == nil {
		return nil
	}
	peers := s.core().Peers()
	list := make([]PeerInfo, len(peers))
	for i := range peers {
		list[i] = peerOf(&peers[i])
	}
	return list
}

func peerOf(p *peertable.Peer) PeerInfo { return PeerInfo(*p) }

// leaving returns the reason why a peer left.
func leaving(endpoint string, cause peertable.Cause) *Error {
	e := &Error{Op: "peer", Endpoint: endpoint}
	switch cause {
	case peertable.Protocol:
		e.Errno, e.Detail = syscall.EPROTO, "the peer violated the protocol"
	case peertable.Detached:
		e.Errno, e.Detail = syscall.ECONNABORTED, "this socket ended the connection"
	case peertable.Revoked:
		e.Errno, e.Detail = syscall.EACCES, "the authenticator no longer admits the peer"
	default:
		e.Errno, e.Detail = syscall.ECONNRESET, "the peer closed the connection, the network lost it, or heartbeats were not answered"
	}
	return e
}
