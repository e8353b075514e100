//go:build linux

package account_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/account"
	"github.com/go-zmq/go-zmq/zmq"
)

// start runs jobs in a child process, by a command line that begins with program. The child ends
// with the test at the latest. Its standard output goes to a file, as a pipe would stay open
// while wine's server runs.
func start(t *testing.T, jobs []job, output *os.File, program ...string) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(jobs)
	require.NoError(t, err)
	words := append(program, "-test.run=^TestChildProcess$", "-test.timeout="+(lasting(jobs)+2*patience).String())
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append(os.Environ(), childVariable+"="+string(text), "GORACE=atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	if output != nil {
		cmd.Stdout = output
	}
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_, _ = cmd.Process.Wait()
	})
	return cmd
}

// collector receives from producers in other processes, by one socket, and answers
// where the pattern has answers.
type collector struct {
	r      *run
	socket *zmq.Socket
	job    job // for its children, who add their ids
	ledger account.Ledger
	took   chan struct{}     // a message was taken
	seen   [64]atomic.Uint64 // messages of each producer
}

func newCollector(t *testing.T, pattern, way, endpoint string) *collector {
	t.Helper()
	d := duties[pattern]
	c := &collector{r: newRun(t, way, 1), took: make(chan struct{}, 1)}
	var settings []zmq.Setting
	switch d.collector {
	case zmq.Sub:
		settings = append(settings, zmq.Subscribe.To(""))
	case zmq.Pair:
		settings = append(settings, zmq.SendHWM.To(0)) // see awaitNoPeer
	}
	s := newSocket(t, c.r.c, d.collector, append(settings, settingsOf(way)...)...)
	c.socket = s
	c.job = job{Pattern: pattern, Endpoint: bind(t, s, endpoint), Way: way}
	c.r.start(func() error {
		// A reply is sent at once because the child waits for it.
		return receive(c.r.ctx, s, way, nil, func(parts [][]byte, _ *zmq.Message) error {
			content := parts
			if d.collector == zmq.Router {
				content = parts[1:]
			}
			// One connection of each producer.
			id, _ := c.ledger.Take(0, content)
			c.seen[id%64].Add(1)
			select {
			case c.took <- struct{}{}:
			default:
			}
			if d.window == 0 {
				return nil
			}
			return s.SendMultipart(c.r.ctx, parts)
		})
	})
	return c
}

// child starts a producer of so many messages, by a command line that begins with prefix.
func (c *collector) child(id uint32, messages int, prefix ...string) *exec.Cmd {
	c.r.t.Helper()
	j := c.job
	j.ID, j.Messages = id, messages
	return start(c.r.t, []job{j}, nil, append(prefix, os.Args[0])...)
}

// await waits until n messages of a producer have come.
func (c *collector) await(id uint32, n uint64) {
	c.r.t.Helper()
	ctx, cancel := context.WithTimeoutCause(c.r.ctx, patience, fmt.Errorf("of the messages of %d, %d should have come", id, n))
	defer cancel()
	for c.seen[id].Load() < n {
		select {
		case <-c.took:
		case <-ctx.Done():
			require.FailNow(c.r.t, "too few messages", "%v; %d have", context.Cause(ctx), c.seen[id].Load())
		}
	}
}

// awaitNoPeer waits until a PAIR has no peer. Such a PAIR cannot send. If its peer has left and
// the PAIR has not noticed, it can send without limit. The receiving side must wait because libzmq
// keeps a peer that has left until all of its messages are received.
func (c *collector) awaitNoPeer() {
	c.r.t.Helper()
	require.Eventually(c.r.t, func() bool {
		return errors.Is(c.socket.Send(context.Background(), nil, zmq.DontWait), zmq.ErrAgain) && c.socket.Stats().Waiting > 0
	}, patience, time.Millisecond)
}

func (c *collector) stop() {
	c.r.t.Helper()
	c.r.cancel(errAllThere)
	c.r.group.Wait()
	require.True(c.r.t, errors.Is(context.Cause(c.r.ctx), errAllThere), "%v", context.Cause(c.r.ctx))
}
