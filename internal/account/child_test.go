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

	"github.com/go-zmq/go-zmq/internal/account"
	"github.com/go-zmq/go-zmq/zmq"
)

// childVariable tells a child process what to produce, as JSON.
const childVariable = "GOZMQ_TEST_PRODUCER"

// A job is what a producer in a process of its own is to do.
type job struct {
	ID       uint32
	Pattern  string
	Endpoint string
	Way      string
	Messages int // 0: without end
}

// A duty says what each side does in a pattern: the child connects and sends, the collector
// receives. In patterns with replies, the child sends a number of requests before it waits for
// their replies.
type duty struct {
	child, collector zmq.SocketType
	window           int
}

var duties = map[string]duty{
	"PUSH-PULL":     {zmq.Push, zmq.Pull, 0},
	"PAIR":          {zmq.Pair, zmq.Pair, 0},
	"PUB-SUB":       {zmq.Pub, zmq.Sub, 0},
	"REQ-REP":       {zmq.Req, zmq.Rep, 1},
	"DEALER-ROUTER": {zmq.Dealer, zmq.Router, 50},
}

// TestProducerProcess is what children run; by itself it does nothing.
func TestProducerProcess(t *testing.T) {
	text := os.Getenv(childVariable)
	if text == "" {
		return
	}
	var j job
	require.NoError(t, json.Unmarshal([]byte(text), &j))
	d := duties[j.Pattern]
	p := newPool(t) // its buffers are back when the context is closed
	zctx := newContext(t)
	settings := append(settingsOf(j.Way), zmq.Linger.To(patience))
	if d.child == zmq.Pub {
		settings = append(settings, zmq.WhenFull.To(zmq.Block))
	}
	s, err := zctx.NewSocket(d.child, settings...)
	require.NoError(t, err)
	require.NoError(t, s.Connect(j.Endpoint))
	if d.child == zmq.Pub {
		require.NoError(t, s.WaitSubscribers(t.Context(), 1))
	}
	snd, err := newSender(t.Context(), s, j.Way, p)
	require.NoError(t, err)
	defer snd.close()
	made := account.Producer{ID: j.ID}
	var answers account.Ledger
	for j.Messages == 0 || made.Next < uint64(j.Messages) {
		require.NoError(t, snd.send(made.Make()))
		if d.window > 0 && made.Next%uint64(d.window) == 0 {
			require.NoError(t, snd.flush())
			left := d.window
			err := receive(t.Context(), s, j.Way, nil, func(parts [][]byte, _ *zmq.Message) error {
				answers.Take(0, parts)
				if left--; left > 0 {
					return nil
				}
				return errEnd
			})
			require.ErrorIs(t, err, errEnd)
		}
	}
	require.NoError(t, snd.flush())
	require.NoError(t, answers.Report().Fault())
	if d.window > 0 {
		lost, _ := answers.Missing(j.ID, made.Next)
		require.Zero(t, lost, "answers that were lost")
	}
}

// process runs a job in a process of its own, by way of a command line that begins
// with prefix. It ends with the test at the latest.
func process(t *testing.T, j job, prefix ...string) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(j)
	require.NoError(t, err)
	words := append(prefix, os.Args[0], "-test.run=^TestProducerProcess$", "-test.timeout="+(2*patience).String())
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append(os.Environ(), childVariable+"="+string(text), "GORACE=atexit_sleep_ms=0 "+os.Getenv("GORACE"))
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

// child starts a producer of so many messages.
func (c *collector) child(id uint32, messages int, prefix ...string) *exec.Cmd {
	c.r.t.Helper()
	j := c.job
	j.ID, j.Messages = id, messages
	return process(c.r.t, j, prefix...)
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
