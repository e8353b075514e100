// Package follow tests zmq/follow with a DNS server. It is a module of its own because the
// server is a library that the root module does not need.
package follow

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/miekg/dns"
	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/follow"
	"github.com/go-zmq/go-zmq/zmq/zmqtest"
)

// A zone is a DNS server on a loopback address, over UDP and TCP.
type zone struct {
	mu      sync.Mutex
	records map[string][]dns.RR
	failing bool
	streams int // requests over TCP
	address string
}

func newZone(t *testing.T) *zone {
	t.Helper()
	z := &zone{records: map[string][]dns.RR{}}
	packets, streams := listen(t)
	z.address = packets.LocalAddr().String()
	for _, s := range []*dns.Server{{PacketConn: packets, Handler: z}, {Listener: streams, Handler: z}} {
		started := make(chan struct{})
		s.NotifyStartedFunc = func() { close(started) }
		ended := make(chan error, 1)
		go func() { ended <- s.ActivateAndServe() }()
		<-started
		t.Cleanup(func() {
			require.NoError(t, s.Shutdown())
			require.NoError(t, <-ended)
		})
	}
	return z
}

// listen returns listeners for UDP and TCP on the same free port.
func listen(t *testing.T) (net.PacketConn, net.Listener) {
	t.Helper()
	for range 100 {
		packets, err := net.ListenPacket("udp4", "127.0.0.1:0")
		require.NoError(t, err)
		streams, err := net.Listen("tcp4", packets.LocalAddr().String())
		if err == nil {
			return packets, streams
		}
		packets.Close() // the port is free for UDP only
	}
	t.Fatal("no port is free for UDP and TCP")
	panic("unreachable")
}

// set replaces the records of a name, which are in the format of a zone file.
func (z *zone) set(t *testing.T, name string, records ...string) {
	t.Helper()
	var parsed []dns.RR
	for _, r := range records {
		rr, err := dns.NewRR(name + " " + r)
		require.NoError(t, err)
		parsed = append(parsed, rr)
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	z.records[name] = parsed
}

func (z *zone) fail(on bool) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.failing = on
}

func (z *zone) ServeDNS(w dns.ResponseWriter, request *dns.Msg) {
	z.mu.Lock()
	defer z.mu.Unlock()
	reply := new(dns.Msg).SetReply(request)
	q := request.Question[0]
	records, known := z.records[strings.ToLower(q.Name)]
	switch {
	case z.failing:
		reply.Rcode = dns.RcodeServerFailure
	case !known:
		reply.Rcode = dns.RcodeNameError
	}
	for _, r := range records {
		if r.Header().Rrtype == q.Qtype && !z.failing {
			reply.Answer = append(reply.Answer, r)
		}
	}
	if _, stream := w.RemoteAddr().(*net.TCPAddr); stream {
		z.streams++
	} else {
		reply.Truncate(dns.MinMsgSize)
	}
	_ = w.WriteMsg(reply)
}

// resolver returns a resolver that asks the zone only.
func (z *zone) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, z.address)
	}}
}

func TestDNSReturnsEveryAddress(t *testing.T) {
	t.Parallel()
	z := newZone(t)
	z.set(t, "orders.test.", "30 IN A 127.0.0.2", "20 IN A 127.0.0.3", "40 IN AAAA ::1")
	d := &follow.DNS{Endpoint: "tcp://orders.test:5555", Resolver: z.resolver()}
	endpoints, err := d.Resolve(t.Context())
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"tcp://127.0.0.2:5555", "tcp://127.0.0.3:5555", "tcp://[::1]:5555"}, endpoints)
	require.Equal(t, 20*time.Second, d.Refresh(), "the shortest TTL")

	d = &follow.DNS{Endpoint: "tcp://orders.test:5555", Resolver: z.resolver(), IPv4: true, Interval: time.Minute}
	endpoints, err = d.Resolve(t.Context())
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"tcp://127.0.0.2:5555", "tcp://127.0.0.3:5555"}, endpoints)
	require.Equal(t, time.Minute, d.Refresh())
}

func TestDNSTimesToLive(t *testing.T) {
	t.Parallel()
	z := newZone(t)
	for ttl, want := range map[int]time.Duration{0: time.Second, 7: 7 * time.Second, 86400: 5 * time.Minute} {
		z.set(t, "orders.test.", fmt.Sprintf("%d IN A 127.0.0.2", ttl))
		d := &follow.DNS{Endpoint: "tcp://orders.test:5555", Resolver: z.resolver(), IPv4: true}
		_, err := d.Resolve(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, d.Refresh(), "TTL of %d s", ttl)
	}
}

// An answer that does not fit into a packet comes over TCP.
func TestDNSOverTCP(t *testing.T) {
	t.Parallel()
	z := newZone(t)
	var records []string
	for i := range 200 {
		records = append(records, fmt.Sprintf("9 IN A 127.0.1.%d", i))
	}
	z.set(t, "orders.test.", records...)
	d := &follow.DNS{Endpoint: "tcp://orders.test:5555", Resolver: z.resolver(), IPv4: true}
	endpoints, err := d.Resolve(t.Context())
	require.NoError(t, err)
	require.Len(t, endpoints, 200)
	require.Equal(t, 9*time.Second, d.Refresh())
	require.NotZero(t, z.streams)
}

func TestDNSErrors(t *testing.T) {
	t.Parallel()
	z := newZone(t)
	d := &follow.DNS{Endpoint: "tcp://nobody.test:5555", Resolver: z.resolver()}
	_, err := d.Resolve(t.Context())
	var failed *net.DNSError
	require.ErrorAs(t, err, &failed)
	require.True(t, failed.IsNotFound)
	for _, bad := range []string{"", "orders:5555", "tcp://orders", "tcp://"} {
		_, err := (&follow.DNS{Endpoint: bad}).Resolve(t.Context())
		require.ErrorContains(t, err, `such as "tcp://orders:5555"`, bad)
	}
}

func TestSRVReturnsEveryTarget(t *testing.T) {
	t.Parallel()
	z := newZone(t)
	z.set(t, "_orders._tcp.test.", "15 IN SRV 0 50 5555 a.test.", "15 IN SRV 9 50 5556 b.test.")
	s := &follow.SRV{Name: "_orders._tcp.test", Resolver: z.resolver()}
	endpoints, err := s.Resolve(t.Context())
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"tcp://a.test:5555", "tcp://b.test:5556"}, endpoints)
	require.Equal(t, 15*time.Second, s.Refresh())
	_, err = (&follow.SRV{Name: "_nobody._tcp.test", Resolver: z.resolver()}).Resolve(t.Context())
	require.Error(t, err)
}

// A service scales up, loses its name server, and scales down.
func TestFollowScalingService(t *testing.T) {
	t.Parallel()
	zctx := zmqtest.NewContext(t)
	var pulls []*zmq.Socket
	endpoint := "tcp://127.0.0.2:*"
	for i := range 3 { // each instance has an address, and all have the same port
		pull := zmqtest.NewSocket(t, zctx, zmq.Pull)
		endpoint = zmqtest.Bind(t, pull, endpoint)
		pulls = append(pulls, pull)
		endpoint = strings.Replace(endpoint, fmt.Sprintf("127.0.0.%d", i+2), fmt.Sprintf("127.0.0.%d", i+3), 1)
	}
	port := endpoint[strings.LastIndex(endpoint, ":")+1:]
	z := newZone(t)
	z.set(t, "orders.test.", "1 IN A 127.0.0.2")

	push := zmqtest.NewSocket(t, zctx, zmq.Push)
	d := &follow.DNS{Endpoint: "tcp://orders.test:" + port, Resolver: z.resolver(), IPv4: true, Interval: 10 * time.Millisecond}
	changes := make(chan follow.Change, 100)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- follow.Follow(ctx, push, d, func(c follow.Change) { changes <- c }) }()
	next := func() follow.Change {
		select {
		case c := <-changes:
			return c
		case <-zmqtest.Soon(t).Done():
			t.Fatal("no change was reported")
			panic("unreachable")
		}
	}

	require.Equal(t, []string{"tcp://127.0.0.2:" + port}, next().Added)
	zmqtest.RequireWorks(t, push, pulls[0])
	z.set(t, "orders.test.", "1 IN A 127.0.0.2", "1 IN A 127.0.0.3", "1 IN A 127.0.0.4")
	require.Equal(t, []string{"tcp://127.0.0.3:" + port, "tcp://127.0.0.4:" + port}, next().Added)
	require.NoError(t, push.WaitConnected(zmqtest.Soon(t), 3))
	for range 3 { // PUSH sends to each in turn
		require.NoError(t, push.SendString(ctx, "order"))
	}
	for _, pull := range pulls {
		_, err := pull.RecvString(zmqtest.Soon(t))
		require.NoError(t, err)
	}
	z.fail(true)
	require.Error(t, next().Err)
	require.NoError(t, push.WaitConnected(zmqtest.Soon(t), 3), "the last answer is kept")
	z.fail(false)
	z.set(t, "orders.test.", "1 IN A 127.0.0.4")
	for {
		if c := next(); c.Err == nil {
			require.Equal(t, []string{"tcp://127.0.0.2:" + port, "tcp://127.0.0.3:" + port}, c.Removed)
			break
		}
	}
	for range 3 {
		zmqtest.RequireWorks(t, push, pulls[2])
	}
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
}
