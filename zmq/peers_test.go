package zmq_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// onlyPeer waits until a socket lists one peer, and returns it.
func onlyPeer(t *testing.T, s *zmq.Socket) zmq.PeerInfo {
	t.Helper()
	var peers []zmq.PeerInfo
	require.Eventually(t, func() bool { peers = s.Peers(); return len(peers) == 1 }, 30*time.Second, time.Millisecond)
	return peers[0]
}

// Both ends list each other, with what the transport tells.
func TestPeers(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		begin := time.Now()
		pull, push := pair(t, zmq.Pull, zmq.Push, endpoint)
		in, out := onlyPeer(t, pull), onlyPeer(t, push)
		require.NotEqual(t, in.ID, out.ID)
		for _, p := range []zmq.PeerInfo{in, out} {
			require.NotZero(t, p.ID)
			require.Equal(t, last(t, pull), p.Endpoint)
			require.WithinRange(t, p.Since, begin, time.Now())
			switch strings.Split(endpoint, ":")[0] {
			case "tcp":
				require.Equal(t, netip.MustParseAddr("127.0.0.1"), p.Address.Addr())
			case "ipc":
				require.Equal(t, os.Getpid(), p.Process)
			default:
				require.Zero(t, p.Process)
				require.False(t, p.Address.IsValid())
			}
		}
		require.True(t, out.Outgoing)
		require.False(t, in.Outgoing)
		if strings.HasPrefix(endpoint, "tcp") {
			require.Equal(t, strings.TrimPrefix(last(t, pull), "tcp://"), out.Address.String())
		}
		require.NoError(t, push.Close())
		require.Eventually(t, func() bool { return len(pull.Peers()) == 0 }, 30*time.Second, time.Millisecond)
		require.Empty(t, push.Peers())
		require.Empty(t, (*zmq.Socket)(nil).Peers())
	})
}

const allEvents = zmq.EventAll | zmq.EventPeerJoined | zmq.EventPeerLeft

// A peer that joined has the same ID in all of its events, and leaves once, with the cause.
func TestPeersJoinAndLeave(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		for name, c := range map[string]struct {
			end                func(bound, connected *zmq.Socket) error
			atBound, connected syscall.Errno
		}{
			"close":      {func(_, s *zmq.Socket) error { return s.Close() }, syscall.ECONNRESET, syscall.ECONNABORTED},
			"disconnect": {func(_, s *zmq.Socket) error { return s.Disconnect(last(t, s)) }, syscall.ECONNRESET, syscall.ECONNABORTED},
			"bound side": {func(b, _ *zmq.Socket) error { return b.Close() }, syscall.ECONNABORTED, syscall.ECONNRESET},
		} {
			at := endpoint
			if strings.HasPrefix(at, "inproc") {
				at = inprocName()
			}
			zctx := newContext(t)
			b, d := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push)
			ofB, ofD := monitor(t, b, allEvents), monitor(t, d, allEvents)
			connect(t, b, d, at)
			var ids [2]uint64
			for i, m := range []*zmq.Monitor{ofB, ofD} {
				joined := until(t, m, zmq.EventPeerJoined)
				require.NoError(t, joined.Err)
				require.NotZero(t, joined.Peer.ID)
				require.False(t, joined.Peer.Since.IsZero())
				ids[i] = joined.Peer.ID
			}
			require.NoError(t, c.end(b, d), name)
			for i, m := range []*zmq.Monitor{ofB, ofD} {
				left := until(t, m, zmq.EventPeerLeft)
				require.Equal(t, ids[i], left.Peer.ID)
				require.ErrorIs(t, left.Err, []syscall.Errno{c.atBound, c.connected}[i], name)
			}
		}
	})
}

// A ROUTER with TrackPeers says which client left.
func TestTrackPeersOfARouter(t *testing.T) {
	t.Parallel()
	networks(t, func(t *testing.T, endpoint string) {
		for _, batch := range []bool{false, true} {
			zctx := newContext(t)
			router := newSocket(t, zctx, zmq.Router, zmq.TrackPeers.To(true))
			require.True(t, zmqtest.Get(t, zmq.TrackPeers, router))
			m := monitor(t, router, zmq.EventPeerLeft)
			require.NoError(t, router.Bind(endpoint))
			clients := map[string]*zmq.Socket{}
			for _, name := range []string{"alice", "bob", "carol"} {
				clients[name] = newSocket(t, zctx, zmq.Dealer, zmq.RoutingID.To([]byte(name)))
				require.NoError(t, clients[name].Connect(last(t, router)))
				require.NoError(t, clients[name].SendString(t.Context(), "hello"))
			}
			b := zmq.NewBatch(10)
			defer b.Close()
			for got := 0; got < len(clients); {
				if batch {
					n, err := router.RecvBatch(within(t), b)
					require.NoError(t, err)
					got += n
					continue
				}
				require.Equal(t, "hello", string(recvParts(t, router)[1]))
				got++
			}
			require.NoError(t, router.WaitConnected(within(t), len(clients)))
			names := map[string]bool{}
			for _, p := range router.Peers() {
				names[string(p.RoutingID)] = true
			}
			require.Equal(t, map[string]bool{"alice": true, "bob": true, "carol": true}, names)
			for name, client := range clients {
				require.NoError(t, client.Close())
				require.Equal(t, name, string(until(t, m, zmq.EventPeerLeft).Peer.RoutingID))
			}
		}
	})
}

// Every type that receives learns the routing id that its peer announces, and its user.
func TestTrackPeersOfOtherTypes(t *testing.T) {
	t.Parallel()
	for typ, of := range map[zmq.SocketType]zmq.SocketType{zmq.Rep: zmq.Req, zmq.Router: zmq.Req, zmq.Dealer: zmq.Dealer} {
		networks(t, func(t *testing.T, endpoint string) {
			zctx := newContext(t)
			s := newSocket(t, zctx, typ, zmq.TrackPeers.To(true))
			client := newSocket(t, zctx, of, zmq.RoutingID.To([]byte("client")))
			connect(t, s, client, endpoint)
			require.Nil(t, onlyPeer(t, s).RoutingID)
			require.NoError(t, client.SendString(t.Context(), "hello"))
			recvParts(t, s)
			require.Equal(t, "client", string(onlyPeer(t, s).RoutingID))
		})
	}
	requireFails(t, errOf(newContext(t).NewSocket(zmq.Push, zmq.TrackPeers.To(true))), syscall.EINVAL)
}

// Connections that never complete a handshake are no peers and disturb no count, whatever comes
// and goes beside them.
func TestPeersBesideStrangers(t *testing.T) {
	t.Parallel()
	networks(t, func(t *testing.T, endpoint string) {
		for name, says := range map[string][]byte{
			"silent": nil, "greets": zmqtest.Greeting(0, "NULL", 0), "half a greeting": zmqtest.Greeting(0, "NULL", 0)[:11],
			"half a command": append(zmqtest.Greeting(0, "NULL", 0), zmqtest.Command("READY", zmqtest.Property("Socket-Type", "PUSH")+zmqtest.Property("X-Long", strings.Repeat("x", 200)))[:150]...),
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				zctx := newContext(t)
				pull := newSocket(t, zctx, zmq.Pull)
				m := monitor(t, pull, zmq.EventAccepted|zmq.EventDisconnected)
				require.NoError(t, pull.Bind(endpoint))
				stranger, _ := dialEnd(t, pull)
				noErr(stranger.Write(says))(t)
				until(t, m, zmq.EventAccepted)
				time.Sleep(1100 * time.Millisecond) // it stalls, which only time shows over ipc
				for range 3 {
					push := newSocket(t, zctx, zmq.Push)
					require.NoError(t, push.Connect(last(t, pull)))
					require.NoError(t, pull.WaitConnected(soon(t), 1))
					require.Equal(t, 1, pull.Stats().Connections)
					require.NoError(t, push.Close())
					until(t, m, zmq.EventDisconnected)
					require.Zero(t, pull.Stats().Connections)
					require.Empty(t, pull.Peers())
				}
				require.NoError(t, stranger.Close())
				until(t, m, zmq.EventDisconnected)
				require.Zero(t, pull.Stats().Connections)
				push := newSocket(t, zctx, zmq.Push)
				require.NoError(t, push.Connect(last(t, pull)))
				require.NoError(t, pull.WaitConnected(soon(t), 1))
				onlyPeer(t, pull)
			})
		}
	})
}

var churn = flag.Int("churn", 3000, "connections of TestPeersChurn")

// Thousands of short connections: every peer that joins has its own address and routing id, leaves
// once, and none is left. Descriptors are reused all the time.
func TestPeersChurn(t *testing.T) {
	zctx := newContext(t)
	router := newSocket(t, zctx, zmq.Router, zmq.TrackPeers.To(true), zmq.RecvHWM.To(0))
	m := monitor(t, router, zmq.EventPeerJoined|zmq.EventPeerLeft)
	require.NoError(t, router.Bind("tcp://127.0.0.1:*"))
	address := strings.TrimPrefix(last(t, router), "tcp://")
	var mu sync.Mutex
	addresses := map[string]netip.AddrPort{} // of the clients, by their routing IDs
	var clients sync.WaitGroup
	const workers = 16
	for w := range workers {
		clients.Go(func() {
			for i := range *churn / workers {
				conn, err := net.Dial("tcp", address)
				if err != nil {
					t.Error(err)
					return
				}
				name := fmt.Sprintf("%d-%d", w, i)
				mu.Lock()
				addresses[name] = conn.LocalAddr().(*net.TCPAddr).AddrPort()
				mu.Unlock()
				_, _ = conn.Write(append(zmqtest.Greeting(0, "NULL", 0), zmqtest.Command("READY", zmqtest.Property("Socket-Type", "DEALER")+zmqtest.Property("Identity", name))...))
				zmqtest.AwaitCommand(conn, true)
				if rand.IntN(4) > 0 {
					_, _ = conn.Write(zmqtest.Frame(0, []byte(name)))
				}
				time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
				if rand.IntN(2) == 0 {
					_ = conn.(*net.TCPConn).SetLinger(0)
				}
				_ = conn.Close()
			}
		})
	}
	stopped := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer close(stopped)
		for parts, err := range router.Messages(ctx) {
			if err == nil && string(parts[0].Bytes()) != string(parts[1].Bytes()) {
				t.Errorf("%q from %q", parts[1].Bytes(), parts[0].Bytes())
			}
		}
	}()
	go func() { clients.Wait(); _ = m.Close() }()
	joined, departed := map[uint64]zmq.PeerInfo{}, []zmq.PeerInfo{}
	for e, err := range m.Events(t.Context()) {
		require.NoError(t, err)
		if e.Event == zmq.EventPeerJoined {
			require.NotContains(t, joined, e.Peer.ID)
			joined[e.Peer.ID] = e.Peer
			continue
		}
		require.Contains(t, joined, e.Peer.ID)
		require.Equal(t, joined[e.Peer.ID].Address, e.Peer.Address)
		delete(joined, e.Peer.ID)
		departed = append(departed, e.Peer)
	}
	cancel()
	<-stopped
	require.Eventually(t, func() bool { return len(router.Peers()) == 0 }, 30*time.Second, time.Millisecond)
	require.Zero(t, router.Stats().Connections)
	known := map[netip.AddrPort]bool{}
	for _, a := range addresses {
		known[a] = true
	}
	addressed, learned := 0, 0
	for _, p := range departed {
		if p.Address.IsValid() {
			addressed++
			require.True(t, known[p.Address], "%v is nobody's", p.Address)
		}
		if p.RoutingID != nil {
			learned++
			if p.Address.IsValid() {
				require.Equal(t, addresses[string(p.RoutingID)], p.Address, "the address of another")
			}
		}
	}
	t.Logf("%d left, %d events dropped, %d with an address, %d learned", len(departed), m.Dropped(), addressed, learned)
	require.Greater(t, len(departed), *churn/2)
	require.Positive(t, addressed)
	require.Positive(t, learned)
}
