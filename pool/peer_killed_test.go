//go:build unix

package pool_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

const victimVariable = "GOZMQ_TEST_VICTIM"

// The peer, a process of its own, is killed in the middle of a transfer.
func TestPeerIsKilled(t *testing.T) {
	if os.Getenv(victimVariable) != "" {
		victim(t)
		return
	}
	t.Parallel()
	for _, size := range []int{1000, 65536, 1 << 20} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			p := newPool(t, pool.Config{})
			a := newSocket(t, newContext(t), zmq.Push, zmq.SendHWM.To(20))
			ctx := zmqtest.Timeout(t, patience)
			cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestPeerIsKilled$")
			cmd.Env = append(os.Environ(), victimVariable+"=1")
			stdout, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			lines := bufio.NewScanner(stdout)
			next := func(prefix string) string {
				for lines.Scan() {
					if rest, ok := strings.CutPrefix(lines.Text(), prefix); ok {
						return rest
					}
				}
				t.Fatalf("the peer did not say %q", prefix)
				return ""
			}
			require.NoError(t, a.Connect(next("bound to ")))
			wait := senders(t, ctx, p, a, size)
			next("received some")
			require.NoError(t, cmd.Process.Kill())
			require.Error(t, cmd.Wait())
			require.NoError(t, a.Close())
			wait()
			requireReturned(t, p)
		})
	}
}

func victim(t *testing.T) {
	zctx := newContext(t)
	s := newSocket(t, zctx, zmq.Pull, zmq.RecvHWM.To(5))
	require.NoError(t, s.Bind(tcp))
	endpoint := zmqtest.LastEndpoint(t, s)
	fmt.Println("bound to " + endpoint)
	for n := 0; ; n++ {
		zmqtest.RecvBytes(t, s)
		if n == 20 {
			fmt.Println("received some")
		}
	}
}
