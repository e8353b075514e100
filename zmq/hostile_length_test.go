package zmq_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// A peer that announces a part of any length, and does not send it, takes no memory, and
// others are served. One that announces more than is allowed is cut off.
func TestAnnouncedLengths(t *testing.T) {
	for _, limit := range []int64{-1, 1 << 20} {
		for _, length := range []uint64{1<<20 + 1, 128 << 20, 1 << 62, 1<<64 - 1} {
			t.Run(fmt.Sprintf("MaxMessageSize=%d/announced=%d", limit, length), func(t *testing.T) {
				announced(t, limit, length)
			})
		}
	}
}

func announced(t *testing.T, limit int64, length uint64) {
	v := newScene(t).victim(soon(t), t, "NULL", 1)
	require.NoError(t, v.s.Unbind(v.endpoint)) // what is bound already has the limit of then
	require.NoError(t, v.s.Set(zmq.MaxMessageSize.To(limit)))
	require.NoError(t, v.s.Bind("tcp://127.0.0.1:*"))
	v.endpoint = last(t, v.s)
	shakes, ends := monitor(t, v.s, zmq.EventHandshakeSucceeded), monitor(t, v.s, zmq.EventDisconnected)
	before := resident(t)
	var conns []*net.TCPConn
	for range 4 {
		conn := v.dial()
		defer conn.Close()
		conns = append(conns, conn)
		_, err := conn.Write(append(zmqtest.Greeting(1, "NULL", 0), zmqtest.Command("READY", zmqtest.Property("Socket-Type", "PUSH"))...))
		require.NoError(t, err)
		until(t, shakes, zmq.EventHandshakeSucceeded)
		_, err = conn.Write(append(binary.BigEndian.AppendUint64([]byte{2}, length), "a beginning"...))
		require.NoError(t, err)
	}
	cut := limit >= 0 || length >= 1<<62 // so much, libzmq cannot have
	if cut {
		for _, conn := range conns {
			requireConnected(t, conn, false, patience)
			until(t, ends, zmq.EventDisconnected)
		}
	}
	v.serves()
	require.Less(t, resident(t)-before, int64(256<<20))
	if !cut {
		for _, conn := range conns {
			requireConnected(t, conn, true, 10*time.Millisecond)
		}
	}
	require.NoError(t, errors.Join(shakes.Close(), ends.Close()))
	closeNow(t, v.s)
}

// requireConnected reads until the connection ends, or the limit is over.
func requireConnected(t *testing.T, conn *net.TCPConn, want bool, limit time.Duration) {
	t.Helper()
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(limit)))
	_, err := io.Copy(io.Discard, conn)
	require.Equal(t, want, os.IsTimeout(err), "%v", err)
}

// resident is the memory that the process has in use, in bytes.
func resident(t *testing.T) int64 {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	text, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	var total, pages int64
	_, err = fmt.Sscan(string(text), &total, &pages)
	require.NoError(t, err)
	return pages * int64(os.Getpagesize())
}
