//go:build unix

package zmq_test

import (
	"encoding/binary"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// Go's runtime interrupts threads with SIGURG whenever it likes. A storm of them
// shows up nowhere: no EINTR, no lost message, no deadline that slips because a
// retry began it anew.
func TestSignalStorm(t *testing.T) {
	duration := 10 * time.Second
	if testing.Short() {
		duration = time.Second
	}
	stop := make(chan struct{})
	var storm sync.WaitGroup
	signals := 0
	storm.Go(func() {
		next := time.Now()
		for {
			select {
			case <-stop:
				return
			default:
			}
			if err := syscall.Kill(os.Getpid(), syscall.SIGURG); err != nil {
				t.Error(err)
				return
			}
			signals++
			next = next.Add(50 * time.Microsecond)
			if d := time.Until(next); d > 0 {
				time.Sleep(d)
			}
		}
	})

	pull, push := pair(t, zmq.Pull, zmq.Push, "tcp://127.0.0.1:*", zmq.RecvTimeout.To(time.Minute))
	quiet := newSocket(t, newContext(t), zmq.Pull, zmq.RecvTimeout.To(50*time.Millisecond))
	require.NoError(t, quiet.Bind(inprocName()))

	end := time.Now().Add(duration)
	var group sync.WaitGroup
	group.Go(func() {
		buf := make([]byte, 8)
		for i := uint64(0); time.Now().Before(end); i++ {
			binary.LittleEndian.PutUint64(buf, i)
			if err := push.Send(buf); err != nil {
				t.Error("send", err)
				return
			}
			if _, err := pull.Recv(buf); err != nil {
				t.Error("recv", err)
				return
			}
			if got := binary.LittleEndian.Uint64(buf); got != i {
				t.Errorf("message %d instead of %d", got, i)
				return
			}
		}
	})
	group.Go(func() {
		for time.Now().Before(end) {
			start := time.Now()
			_, err := quiet.RecvBytes()
			waited := time.Since(start)
			if err != error(nil) && waited >= 50*time.Millisecond && waited < 500*time.Millisecond {
				continue
			}
			t.Errorf("a receive with a timeout of 50 ms: %v after %v", err, waited)
			return
		}
	})
	group.Wait()
	close(stop)
	storm.Wait()
	t.Logf("%d signals in %v", signals, duration)
}
