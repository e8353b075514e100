package zmq_test

import (
	"errors"
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// What libzmq with the draft API can die of, and is protected from on Linux.
func TestDeathOfDrafts(t *testing.T) {
	testDeaths(t, slices.Concat(guarded(guardedDraftDeaths), []death{
		{"26 thread-safe sockets closed at the limit of descriptors", dieOfClosing, draftsOr(fine)},
		{"26 udp at the limit of descriptors", dieOfUDPDescriptors, draftsOr(
			want(syscall.EMFILE, "bind", "udp://", "ulimit -n"), want(syscall.EMFILE, "bind", "udp://", "ulimit -n"),
			want(syscall.EMFILE, "connect", "udp://", "ulimit -n"), fine)},
		{"27 a priority that is not allowed", dieOfPriority, draftOptionOr("PRIORITY", want(syscall.EPERM, "PRIORITY", "CAP_NET_ADMIN"))},
	}))
}

var guardedDraftDeaths = []death{
	{"40 datagrams that are no group", dieOfStrayDatagrams, draftsOr(fine)},
}

func dieOfClosing(t *testing.T, report func(error)) {
	warm(t)
	zctx := newContext(t)
	list, ok := draftSockets(t, report, zctx, zmq.Server, zmq.Client, zmq.Radio, zmq.Dish, zmq.Gather, zmq.Scatter)
	if !ok {
		return
	}
	connect(t, list[0], list[1], "tcp://127.0.0.1:*")
	give := leaveDescriptors(t, 0)
	for _, s := range list {
		require.NoError(t, s.Close())
	}
	done := make(chan error, 1)
	go func() { done <- zctx.Close() }()
	select {
	case err := <-done:
		give()
		report(err)
	case <-time.After(30 * time.Second):
		t.Fatal("the context does not close")
	}
}

func dieOfUDPDescriptors(t *testing.T, report func(error)) {
	warm(t)
	zctx := newContext(t)
	list, ok := draftSockets(t, report, zctx, zmq.Dish, zmq.Dgram, zmq.Radio)
	if !ok {
		return
	}
	endpoint := "udp://" + udpAddress(t).String()
	give := leaveDescriptors(t, 2)
	bindDish, bindDgram, connectRadio := list[0].Bind(endpoint), list[1].Bind(endpoint), list[2].Connect(endpoint)
	give()
	report(bindDish)
	report(bindDgram)
	report(connectRadio)
	connect(t, list[0], list[2], endpoint)
	require.NoError(t, list[0].Join("g"))
	joined(t, list[2], list[0], "g")
	report(nil)
}

// dieOfPriority asks for what only the administrator of a network may have.
func dieOfPriority(t *testing.T, report func(error)) {
	warm(t)
	unprivileged(t)
	a, b := pair(t, zmq.Pair, zmq.Pair, inprocName())
	report(a.Set(zmq.Priority.To(7)))
	err := a.Set(zmq.Priority.To(6))
	require.True(t, err == nil || errors.Is(err, zmq.ErrNotSupported))
	connect(t, a, b, "tcp://127.0.0.1:*")
}

// dieOfStrayDatagrams sends a DISH what no RADIO sends.
func dieOfStrayDatagrams(t *testing.T, report func(error)) {
	zctx := newContext(t)
	list, ok := draftSockets(t, report, zctx, zmq.Dish, zmq.Radio)
	if !ok {
		return
	}
	dish, radio := list[0], list[1]
	to := udpAddress(t)
	connect(t, dish, radio, "udp://"+to.String())
	require.NoError(t, dish.Join("g"))
	joined(t, radio, dish, "g")
	conn, err := net.Dial("udp", to.String())
	require.NoError(t, err)
	for _, stray := range []string{"", "\x80", "\xff", "\xff group and body", "\x05cut", "\x7f", strings.Repeat("\x81", 8192), strings.Repeat("\xfe", 20000)} {
		for range 20 {
			_, err := conn.Write([]byte(stray))
			require.NoError(t, err)
		}
		joined(t, radio, dish, "g")
	}
	require.NoError(t, conn.Close())
	report(nil)
}
