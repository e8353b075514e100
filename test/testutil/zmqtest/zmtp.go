package zmqtest

import (
	"encoding/binary"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// Greeting returns a greeting of ZMTP 3.
func Greeting(minor byte, mechanism string, server byte) []byte {
	g := append([]byte{0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 3, minor}, mechanism...)
	g = append(g, make([]byte, 32-len(g))...)
	return append(append(g, server), make([]byte, 31)...)
}

// Frame returns a frame of ZMTP 2 and 3. Of flags, 1 is more, 2 a length of eight bytes, 4 a
// command.
func Frame(flags byte, body []byte) []byte {
	f := []byte{flags}
	if flags&2 != 0 || len(body) > 255 {
		f[0] |= 2
		f = binary.BigEndian.AppendUint64(f, uint64(len(body)))
	} else {
		f = append(f, byte(len(body)))
	}
	return append(f, body...)
}

// Property returns a property of a READY command.
func Property(name, value string) string {
	return string(binary.BigEndian.AppendUint32(append([]byte{byte(len(name))}, name...), uint32(len(value)))) + value
}

// Command returns a command frame.
func Command(name, rest string) []byte {
	return Frame(4, append(append([]byte{byte(len(name))}, name...), rest...))
}

// AwaitCommand reads a short command of a peer, and its greeting first if greeted is set. It fails
// silently after 8 s, because a fuzzer allows ten seconds in all.
func AwaitCommand(conn net.Conn, greeted bool) {
	_ = conn.SetReadDeadline(time.Now().Add(8 * time.Second))
	head := make([]byte, 2)
	if greeted {
		head = make([]byte, 64+2)
	}
	if _, err := io.ReadFull(conn, head); err != nil {
		return
	}
	_, _ = io.ReadFull(conn, make([]byte, head[len(head)-1]))
}

// DialRaw binds a socket to a free tcp port and returns a connection to it.
func DialRaw(t testing.TB, s *zmq.Socket) net.Conn {
	t.Helper()
	require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
	conn, err := net.Dial("tcp", strings.TrimPrefix(LastEndpoint(t, s), "tcp://"))
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// Reset closes a TCP connection with a reset.
func Reset(t testing.TB, conn net.Conn) {
	t.Helper()
	require.NoError(t, conn.(*net.TCPConn).SetLinger(0))
	require.NoError(t, conn.Close())
}
