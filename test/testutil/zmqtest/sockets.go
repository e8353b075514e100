// Package zmqtest creates contexts, sockets and peers for tests.
package zmqtest

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/zmq"
)

// OpenReleasePipe creates a zero-copy message. The first one opens a pipe that stays open until the
// process ends. Pass it to testutil.Main where tests use zero-copy messages.
func OpenReleasePipe() {
	m, err := zmq.NewMessageZeroCopy(make([]byte, 1), nil)
	if err != nil {
		panic(err)
	}
	_ = m.Close()
}

// NewContext returns a context that is closed with the test. It fails the test if a goroutine that
// waited was found by the watchdog only.
func NewContext(t testing.TB, settings ...zmq.ContextSetting) *zmq.Context {
	t.Helper()
	zctx, err := zmq.NewContext(settings...)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, zctx.Close())
		require.Zero(t, core.Rescues(), "the watchdog found a forgotten waiter")
	})
	return zctx
}

// NewSocket returns a socket that drops unsent messages when it is closed.
func NewSocket(t testing.TB, zctx *zmq.Context, typ zmq.SocketType, settings ...zmq.Setting) *zmq.Socket {
	t.Helper()
	s, err := zctx.NewSocket(typ, append([]zmq.Setting{zmq.Linger.To(0)}, settings...)...)
	require.NoError(t, err)
	return s
}

var names atomic.Int64

// InprocName returns an inproc endpoint that no other test uses.
func InprocName() string { return fmt.Sprintf("inproc://test-%d", names.Add(1)) }

// Transports runs a test in parallel over inproc, tcp and ipc.
func Transports(t *testing.T, test func(t *testing.T, endpoint string)) {
	over(t, map[string]string{"inproc": InprocName(), "tcp": "tcp://127.0.0.1:*", "ipc": "ipc://*"}, test)
}

// Networks runs a test in parallel over tcp and ipc, the transports that have monitor events.
func Networks(t *testing.T, test func(t *testing.T, endpoint string)) {
	over(t, map[string]string{"tcp": "tcp://127.0.0.1:*", "ipc": "ipc://*"}, test)
}

func over(t *testing.T, endpoints map[string]string, test func(t *testing.T, endpoint string)) {
	for name, endpoint := range endpoints {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "ipc" {
				NeedIPC(t)
			}
			test(t, endpoint)
		})
	}
}

// NeedIPC skips the test if libzmq has no ipc, as before 4.3.5 on Windows.
func NeedIPC(t testing.TB) {
	t.Helper()
	if !zmq.Has("ipc") {
		t.Skip("libzmq has no ipc")
	}
}

// ConflateEndpoints returns the endpoints for tests of sockets with Conflate. With AddressSanitizer
// it leaves out tcp: there the messages that libzmq loses when it replaces them (see "What remains"
// in docs/safety.md) refer to the properties of the peer, and the leak detector reports both.
func ConflateEndpoints() []string {
	if testutil.Asan {
		return []string{InprocName()}
	}
	return []string{"tcp://127.0.0.1:*", InprocName()}
}

// Pair returns two sockets, the first bound and the second connected to it. Each gets the settings
// that its type has.
func Pair(t testing.TB, bindType, connectType zmq.SocketType, endpoint string, settings ...zmq.Setting) (b, d *zmq.Socket) {
	t.Helper()
	zctx := NewContext(t, zmq.SocketDefaults(settings...)) // leaves out what a type does not have
	b, d = NewSocket(t, zctx, bindType), NewSocket(t, zctx, connectType)
	Connect(t, b, d, endpoint)
	return b, d
}

// Connect binds b to an endpoint and connects d to it.
func Connect(t testing.TB, b, d *zmq.Socket, endpoint string) {
	t.Helper()
	require.NoError(t, b.Bind(endpoint))
	require.NoError(t, d.Connect(LastEndpoint(t, b)))
}

// LastEndpoint returns the endpoint that a socket was bound or connected to last.
func LastEndpoint(t testing.TB, s *zmq.Socket) string {
	t.Helper()
	endpoint, err := s.LastEndpoint()
	require.NoError(t, err)
	return endpoint
}

// Within returns a context that ends with the test or after 30 s.
func Within(t testing.TB) context.Context { return Timeout(t, 30*time.Second) }

// Timeout returns a context that ends with the test or after d.
func Timeout(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// RecvString receives one part within 30 s.
func RecvString(t testing.TB, s *zmq.Socket) string {
	t.Helper()
	return string(RecvBytes(t, s))
}

// RecvBytes receives one part within 30 s.
func RecvBytes(t testing.TB, s *zmq.Socket) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	part, err := s.RecvBytes(ctx)
	require.NoError(t, err)
	return part
}

// RecvParts receives one message within 30 s.
func RecvParts(t testing.TB, s *zmq.Socket) [][]byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	parts, err := s.RecvMultipart(ctx)
	require.NoError(t, err)
	return parts
}

// Get returns the value of an option.
func Get[T any](t testing.TB, o zmq.Option[T], s *zmq.Socket) T {
	t.Helper()
	value, err := o.Get(s)
	require.NoError(t, err)
	return value
}

// RequireWorks sends a message from one socket to the other.
func RequireWorks(t testing.TB, from, to *zmq.Socket) {
	t.Helper()
	ctx := Within(t)
	require.NoError(t, from.Send(ctx, []byte("does it work?")))
	got, err := to.RecvString(ctx)
	require.NoError(t, err)
	require.Equal(t, "does it work?", got)
}

// RequireJoined sends messages to a group until the DISH has received one, and then takes the rest.
func RequireJoined(t testing.TB, radio, dish *zmq.Socket, group string) {
	t.Helper()
	require.NoError(t, dish.Set(zmq.RecvTimeout.To(10*time.Millisecond)))
	ctx := Within(t)
	for got := false; !got; {
		require.NoError(t, ctx.Err())
		require.NoError(t, radio.SendGroup(context.Background(), group, []byte("probe")))
		_, err := dish.RecvBytes(context.Background())
		if got = err == nil; !got {
			require.ErrorIs(t, err, zmq.ErrAgain)
		}
	}
	require.NoError(t, radio.SendGroup(context.Background(), group, []byte("last probe")))
	for got := ""; got != "last probe"; {
		var err error
		got, err = dish.RecvString(ctx)
		if err != nil {
			require.ErrorIs(t, err, zmq.ErrAgain)
		}
	}
	require.NoError(t, dish.Set(zmq.RecvTimeout.To(-1)))
}

// UDPAddress returns a loopback address whose UDP port was free.
func UDPAddress(t testing.TB) netip.AddrPort {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil && runtime.GOOS == "windows" {
		t.Skip("wine 8 has no UDP sockets for Go:", err)
	}
	require.NoError(t, err)
	defer conn.Close()
	return netip.MustParseAddrPort(conn.LocalAddr().String())
}

// Monitor returns a monitor of a socket.
func Monitor(t testing.TB, s *zmq.Socket, events zmq.MonitorEvents) *zmq.Monitor {
	t.Helper()
	m, err := s.Monitor(events)
	require.NoError(t, err)
	return m
}

// Until takes events from a monitor up to the first of the given kinds, and returns that one.
func Until(t testing.TB, m *zmq.Monitor, kinds zmq.MonitorEvents) zmq.MonitorEvent {
	t.Helper()
	ctx := Within(t)
	for {
		e, err := m.Next(ctx)
		require.NoError(t, err, "waiting for %v", kinds)
		if e.Event&kinds != 0 {
			return e
		}
	}
}

// SocketCalls are calls of every method that uses an open socket.
var SocketCalls = []func(*zmq.Socket) error{
	func(s *zmq.Socket) error { return s.Send(context.Background(), []byte("x")) },
	func(s *zmq.Socket) error { return s.Send(context.Background(), []byte("x"), zmq.SendMore) },
	func(s *zmq.Socket) error { return s.SendMultipart(context.Background(), [][]byte{{1}, {2}}) },
	func(s *zmq.Socket) error { return s.SendMultipart(context.Background(), make([][]byte, 9)) },
	func(s *zmq.Socket) error { return s.SendMessage(context.Background(), new(zmq.Message)) },
	func(s *zmq.Socket) error { return s.SendMultipartMessage(context.Background(), make(zmq.Multipart, 2)) },
	func(s *zmq.Socket) error { _, err := s.Recv(context.Background(), make([]byte, 8)); return err },
	func(s *zmq.Socket) error { _, err := s.RecvBytes(context.Background()); return err },
	func(s *zmq.Socket) error { _, err := s.RecvMultipart(context.Background()); return err },
	func(s *zmq.Socket) error { return s.RecvMessage(context.Background(), new(zmq.Message)) },
	func(s *zmq.Socket) error {
		var p zmq.Multipart
		return s.RecvMultipartMessage(context.Background(), &p)
	},
	func(s *zmq.Socket) error { return s.Bind("inproc://closed") },
	func(s *zmq.Socket) error { return s.Connect("inproc://closed") },
	func(s *zmq.Socket) error { return s.Unbind("inproc://closed") },
	func(s *zmq.Socket) error { return s.Disconnect("inproc://closed") },
	func(s *zmq.Socket) error { return s.Set(zmq.SendHWM.To(1)) },
	func(s *zmq.Socket) error { return s.Set(zmq.RecvTimeout.To(time.Second)) },
	func(s *zmq.Socket) error { _, err := zmq.SendHWM.Get(s); return err },
	func(s *zmq.Socket) error { _, err := zmq.FD.Get(s); return err },
	func(s *zmq.Socket) error { _, err := s.LastEndpoint(); return err },
}
