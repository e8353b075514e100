//go:build unix

package zmq_test

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// draftTypeDeaths are what only a libzmq with the draft API can be led into.
func draftTypeDeaths() []death {
	if !zmq.Has("draft") {
		return nil
	}
	tooLong := want(syscall.EMSGSIZE, "7936")
	return []death{
		{"36 thread-safe types over inproc", dieOfLocks, times(2*len(threadSafe), want(zmq.ErrNotSupported, "inproc", "tcp"))},
		{"37 DGRAM without a peer", dieOfDatagram, []wanted{want(zmq.ErrAgain), want(enocompatproto, "udp")}},
		{"37b parts of datagrams", dieOfDatagramParts, append(times(3, want(syscall.EINVAL)), want(zmq.ErrNotSupported), fine)},
		{"38 datagram of a megabyte", dieOfLongDatagram, []wanted{want(syscall.EMSGSIZE, "8192"), fine, tooLong, fine}},
	}
}

var threadSafe = []zmq.SocketType{zmq.Server, zmq.Client, zmq.Radio, zmq.Dish, zmq.Gather, zmq.Scatter, zmq.Peer, zmq.Channel}

// dieOfLocks would freeze as soon as two of these send to each other.
func dieOfLocks(t *testing.T, report func(error)) {
	c := newContext(t)
	for _, typ := range threadSafe {
		s := newSocket(t, c, typ)
		report(s.Bind(inprocName()))
		report(s.Connect(inprocName()))
	}
}

func datagramTo(address string, size int) [][]byte {
	return [][]byte{[]byte(address), make([]byte, size)}
}

func dieOfDatagram(t *testing.T, report func(error)) {
	s := newSocket(t, newContext(t), zmq.Dgram)
	report(s.SendMultipart(datagramTo("127.0.0.1:9", 5), zmq.DontWait))
	report(s.Connect("tcp://127.0.0.1:5555"))
}

func dieOfDatagramParts(t *testing.T, report func(error)) {
	s := newSocket(t, newContext(t), zmq.Dgram)
	require.NoError(t, s.Bind("udp://127.0.0.1:*"))
	datagram := datagramTo("127.0.0.1:9", 5)
	report(s.Send(datagram[0]))
	report(s.SendMultipart(append(datagram, []byte("more"))))
	report(s.SendMultipart(make([][]byte, 20)))
	b := zmq.NewBatch(1)
	require.NoError(t, b.Append(datagram...))
	_, err := s.SendBatch(b)
	report(err)
	require.NoError(t, b.Close())
	report(s.SendMultipart(datagram))
}

func dieOfLongDatagram(t *testing.T, report func(error)) {
	c := newContext(t)
	dgram, radio := newSocket(t, c, zmq.Dgram), newSocket(t, c, zmq.Radio)
	require.NoError(t, dgram.Bind("udp://127.0.0.1:*"))
	report(dgram.SendMultipart(datagramTo("127.0.0.1:9", 1<<20)))
	report(dgram.SendMultipart(datagramTo("127.0.0.1:9", 8192)))
	require.NoError(t, radio.Connect("udp://127.0.0.1:9"))
	report(radio.Send(make([]byte, 1<<20)))
	report(radio.Send(make([]byte, 7936)))
	// libzmq dies on a thread of its own, once the datagrams are there.
	waitUntilSent(t, dgram)
}

// waitUntilSent waits until the I/O thread has taken the datagrams before.
func waitUntilSent(t *testing.T, s *zmq.Socket) {
	t.Helper()
	require.NoError(t, s.Set(zmq.RecvTimeout.To(100*time.Millisecond)))
	_, err := s.RecvMultipart()
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
}
