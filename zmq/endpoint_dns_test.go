package zmq

import (
	"context"
	"encoding/binary"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// fakeDNS answers every question: names that begin with "no" do not exist, with
// "sick" the server fails, with "slow" it says nothing, all others are 127.0.0.1.
// What it returns ends it, and the lookups that wait for it.
func fakeDNS(t *testing.T) (stop func()) {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 1500)
		for {
			n, from, err := server.ReadFrom(buf)
			if err != nil {
				return
			}
			if answer := answerDNS(buf[:n]); answer != nil {
				_, _ = server.WriteTo(answer, from)
			}
		}
	}()
	var mu sync.Mutex
	var clients []net.Conn
	stopped := false
	before := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		mu.Lock()
		defer mu.Unlock()
		if stopped {
			return nil, net.ErrClosed
		}
		client, err := new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
		if err == nil {
			clients = append(clients, client)
		}
		return client, err
	}}
	stop = func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		for _, client := range clients {
			_ = client.Close()
		}
		_ = server.Close()
		<-done
	}
	t.Cleanup(func() {
		net.DefaultResolver = before
		stop()
	})
	return stop
}

func answerDNS(query []byte) []byte {
	const header = 12
	name := query[header+1 : header+1+int(query[header])]
	end := header
	for query[end] != 0 {
		end += int(query[end]) + 1
	}
	end += 5 // the root, type and class
	kind := binary.BigEndian.Uint16(query[end-4:])
	answer := append([]byte(nil), query[:end]...)
	answer[2], answer[3] = 0x81, 0x80
	binary.BigEndian.PutUint32(answer[8:], 0) // no authority, nothing additional
	switch {
	case strings.HasPrefix(string(name), "no"):
		answer[3] |= 3
	case strings.HasPrefix(string(name), "sick"):
		answer[3] |= 2
	case strings.HasPrefix(string(name), "slow"):
		return nil
	case kind == 1:
		binary.BigEndian.PutUint16(answer[6:], 1)
		answer = append(answer, 0xc0, header, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1)
	}
	return answer
}

// Not parallel, as it replaces the resolver of the process.
func TestHostNames(t *testing.T) {
	fakeDNS(t)
	c := optionContext(t)
	s := optionSocket(t, c, Dealer)
	require.NoError(t, s.Connect("tcp://somewhere.example.:5555"))
	err := s.Connect("tcp://nowhere.example.:5555")
	requireRefused(t, err, syscall.EHOSTUNREACH, "nowhere.example.", "no such host")
	require.ErrorIs(t, err, ErrHostUnreachable)
	var dns *net.DNSError
	require.ErrorAs(t, err, &dns)
	require.True(t, dns.IsNotFound)
	requireRefused(t, s.Bind("tcp://nowhere.example.:*"), syscall.ENODEV, "neither an")
	if libzmqOlderThan(4, 3, 5) {
		requireRefused(t, s.Bind("tcp://somewhere.example.:*"), syscall.ENODEV, "4.3.5")
	}
	require.NoError(t, s.Connect("tcp://sick.example.:5555"), "libzmq tries again")
	if libzmq.Has("WS") {
		requireRefused(t, s.Connect("ws://nowhere.example.:5555"), syscall.EHOSTUNREACH, "no such host")
		requireRefused(t, s.Connect("ws://sick.example.:5555"), syscall.EHOSTUNREACH, "no answer", "sick.example.")
	}
	if libzmq.Has("draft") {
		radio := optionSocket(t, c, Radio)
		requireRefused(t, radio.Connect("udp://sick.example.:5555"), syscall.EHOSTUNREACH, "no answer", "sick.example.")
	}
}

// Not parallel, as it replaces the resolver of the process.
func TestNamesAreLeftToTheProxy(t *testing.T) {
	fakeDNS(t)
	// A proxy that accepts and says nothing. It must outlive the socket: libzmq
	// aborts when a socket is closed after its proxy has failed.
	proxy, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = proxy.Close() })
	s := optionSocket(t, optionContext(t), Dealer, SocksProxy.To(proxy.Addr().String()))
	require.NoError(t, s.Connect("tcp://nowhere.example.:5555"))
	require.NoError(t, s.Connect("tcp://[::1]:5555"), "the proxy has IPv6, perhaps")
	requireRefused(t, s.Connect("tcp://"+strings.Repeat("n", 254)+":5555"), syscall.ENAMETOOLONG, "253")
	requireRefused(t, s.Connect("tcp://ho st:5555"), syscall.EINVAL, "host name")
}

// Not parallel, as it replaces the resolver of the process.
func TestSlowNameServerStopsNobodyElse(t *testing.T) {
	stop := fakeDNS(t)
	s := optionSocket(t, optionContext(t), Dealer)
	connected := make(chan error, 1)
	go func() { connected <- s.Connect("tcp://slow.example.:5555") }()
	require.NoError(t, s.Set(Linger.To(0)))
	require.NoError(t, s.Close())
	stop()
	require.ErrorIs(t, <-connected, ErrClosed)
}

// Not parallel, as it replaces the resolver of the process.
func TestConnectContext(t *testing.T) {
	fakeDNS(t)
	c := optionContext(t)
	s, other := optionSocket(t, c, Dealer), optionSocket(t, c, Dealer)
	ctx, cancel := context.WithCancel(t.Context())
	connected := make(chan error, 1)
	go func() { connected <- s.ConnectContext(ctx, "tcp://slow.example.:5555") }()
	require.NoError(t, other.Bind("inproc://connect-context"))
	require.NoError(t, s.ConnectContext(ctx, "inproc://connect-context"), "while it waits")
	cancel()
	err := <-connected
	requireRefused(t, err, syscall.ECANCELED, "slow.example.", "canceled")
	require.ErrorIs(t, err, context.Canceled)

	ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	err = s.ConnectContext(ctx, "tcp://slow.example.:5555")
	requireRefused(t, err, syscall.ETIMEDOUT, "slow.example.")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorIs(t, s.Disconnect("tcp://slow.example.:5555"), syscall.ENOENT, "it was not connected")
	require.NoError(t, s.ConnectContext(t.Context(), "tcp://somewhere.example.:5555"))
}
