package aborts

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// tryHangUp lets raw peers fill a queue and reset the connection. The pauses give libzmq time to
// abort.
func tryHangUp(t *testing.T, report func(error)) {
	message, ping := zmqtest.Frame(0, []byte("x")), zmqtest.Command("PING", "\x00\x00")
	for _, kind := range []struct {
		typ      zmq.SocketType
		peer     string
		settings []zmq.Setting
		sent     []byte
	}{
		{zmq.Pull, "PUSH", []zmq.Setting{zmq.RecvHWM.To(10), zmq.HeartbeatInterval.To(100 * time.Millisecond)}, bytes.Repeat(message, 100)},
		{zmq.Pull, "PUSH", []zmq.Setting{zmq.RecvHWM.To(10)}, append(bytes.Repeat(message, 15), ping...)},
		{zmq.Push, "PULL", []zmq.Setting{zmq.HeartbeatInterval.To(100 * time.Millisecond)}, bytes.Repeat(message, 3000)},
		{zmq.Pub, "SUB", nil, append(bytes.Repeat(zmqtest.Frame(0, []byte("\x01t")), 1100), ping...)},
	} {
		zctx := zmqtest.NewContext(t)
		s := zmqtest.NewSocket(t, zctx, kind.typ, append(kind.settings, zmq.Linger.To(0))...)
		conn := zmqtest.DialRaw(t, s)
		_, err := conn.Write(append(zmqtest.Greeting(1, "NULL", 0), zmqtest.Command("READY", zmqtest.Property("Socket-Type", kind.peer))...))
		require.NoError(t, err)
		zmqtest.AwaitCommand(conn, true)
		_, err = conn.Write(kind.sent)
		require.NoError(t, err)
		time.Sleep(50 * time.Millisecond) // libzmq reads until the queue is full, and says nothing of it
		zmqtest.Reset(t, conn)
		time.Sleep(300 * time.Millisecond) // heartbeats are due
		for range 20 {
			if kind.typ == zmq.Pull {
				_, _ = s.RecvBytes(context.Background(), zmq.DontWait)
			} else {
				_ = s.Send(context.Background(), []byte("y"), zmq.DontWait)
			}
			time.Sleep(time.Millisecond) // libzmq goes on reading
		}
		report(s.Close())
	}
}

// tryClosedPeer is the same without malice: a PUSH sends more than fits, and closes. Over
// ipc all that it sent arrives, also of sizes of which what libzmq reads at once fills the
// queue only sometimes. Over tcp a heartbeat, or the answer to one, that comes to a closed
// socket makes the system there give up what it has not delivered.
func tryClosedPeer(t *testing.T, report func(error)) {
	for _, size := range []int{4, 3000} {
		for _, beats := range []zmq.SocketType{zmq.Pull, zmq.Push} {
			for _, endpoint := range []string{"ipc://" + filepath.Join(t.TempDir(), "s"), "tcp://127.0.0.1:*"} {
				report(closedPeer(t, size, beats, endpoint))
			}
		}
	}
}

func closedPeer(t *testing.T, size int, beats zmq.SocketType, endpoint string) error {
	const messages = 300
	pull := zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Pull, zmq.RecvHWM.To(10))
	push := zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Push, zmq.Linger.To(20*time.Second))
	for _, s := range []*zmq.Socket{pull, push} {
		if s.Type() == beats {
			require.NoError(t, s.Set(zmq.HeartbeatInterval.To(20*time.Millisecond), zmq.HeartbeatTimeout.To(20*time.Second)))
		}
	}
	zmqtest.Connect(t, push, pull, endpoint)
	for i := range messages {
		p := make([]byte, size)
		binary.BigEndian.PutUint32(p, uint32(i))
		require.NoError(t, push.Send(context.Background(), p))
		if beats == zmq.Push && i%10 == 0 {
			time.Sleep(5 * time.Millisecond) // a heartbeat among them
		}
	}
	require.NoError(t, push.Close())
	time.Sleep(100 * time.Millisecond) // heartbeats are due
	ctx := zmqtest.Within(t)
	tcp := strings.HasPrefix(endpoint, "tcp:")
	if tcp {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
	}
	for i := range messages {
		got, err := pull.RecvBytes(ctx)
		if tcp && errors.Is(err, context.DeadlineExceeded) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("message %d of %d: %w", i, messages, err)
		}
		if n := binary.BigEndian.Uint32(got); n != uint32(i) {
			return fmt.Errorf("got %d as message %d", n, i)
		}
		if i%8 == 0 {
			time.Sleep(time.Millisecond) // a slow receiver, whose queue fills again
		}
	}
	return nil
}
