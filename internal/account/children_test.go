//go:build linux

package account_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
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
	Endpoint string
	Way      string
	Messages int // 0: without end
}

// TestProducerProcess is what children run; by itself it does nothing.
func TestProducerProcess(t *testing.T) {
	text := os.Getenv(childVariable)
	if text == "" {
		return
	}
	var j job
	require.NoError(t, json.Unmarshal([]byte(text), &j))
	p := newPool(t) // its buffers are back when the context is closed
	c := newContext(t)
	push, err := c.NewSocket(zmq.Push, zmq.Linger.To(patience))
	require.NoError(t, err)
	require.NoError(t, push.Connect(j.Endpoint))
	snd, err := newSender(t.Context(), push, j.Way, p)
	require.NoError(t, err)
	defer snd.close()
	made := account.Producer{ID: j.ID}
	for j.Messages == 0 || made.Next < uint64(j.Messages) {
		require.NoError(t, snd.send(made.Make()))
	}
	require.NoError(t, snd.flush())
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
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_, _ = cmd.Process.Wait()
	})
	return cmd
}

// collector receives from producers in other processes, by one PULL socket.
type collector struct {
	r        *run
	endpoint string
	ledger   account.Ledger
	took     chan struct{}     // a message was taken
	seen     [64]atomic.Uint64 // messages of each producer
}

// Peers that are killed take with them what they had not sent; what came of each is
// the beginning of what it sent, without holes, and others notice nothing.
func TestAccountKilled(t *testing.T) {
	for _, way := range []string{plain, batch, pooled} {
		for _, transport := range []string{"tcp", "ipc"} {
			t.Run(way+"/"+transport, func(t *testing.T) {
				t.Parallel()
				const victims, messages = 8, 20_000
				c := newCollector(t, way, endpointOf(transport))
				survivor := process(t, job{ID: 0, Endpoint: c.endpoint, Way: way, Messages: messages})
				for id := uint32(1); id <= victims; id++ {
					victim := process(t, job{ID: id, Endpoint: c.endpoint, Way: way})
					c.await(id, 200+rand.Uint64N(500))
					require.NoError(t, victim.Process.Kill())
					_, err := victim.Process.Wait()
					require.NoError(t, err)
				}
				require.NoError(t, survivor.Wait())
				c.await(0, messages)
				c.stop()
				require.NoError(t, c.ledger.Report().Fault())
				require.Zero(t, c.ledger.Report().Skipped)
				for id := uint32(0); id <= victims; id++ {
					n, _ := c.ledger.Missing(id, c.ledger.End(id))
					require.Zero(t, n, "messages of %d lost in the middle", id)
				}
				require.EqualValues(t, messages, c.ledger.End(0))
			})
		}
	}
}

// Peers that are stopped for a while, and go on, lose nothing.
func TestAccountStopped(t *testing.T) {
	for _, way := range []string{plain, batch, pooled} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			const peers, messages = 2, 20_000
			c := newCollector(t, way, endpointOf("tcp"))
			var all []*exec.Cmd
			for id := range uint32(peers) {
				all = append(all, process(t, job{ID: id, Endpoint: c.endpoint, Way: way, Messages: messages}))
			}
			stop := repeat(t, 10*time.Millisecond, func(r *rand.Rand) {
				p := all[r.IntN(peers)].Process
				_ = p.Signal(syscall.SIGSTOP) // it may have ended
				time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
				_ = p.Signal(syscall.SIGCONT)
			})
			for id, p := range all {
				require.NoError(t, p.Wait())
				c.await(uint32(id), messages)
			}
			stop()
			c.stop()
			settled(t, &c.ledger, map[uint32]int{0: messages, 1: messages})
		})
	}
}

// A network that is cut and healed within the time that TCP bears loses nothing.
func TestAccountNetworkCut(t *testing.T) {
	if _, err := exec.LookPath("ip"); err != nil || os.Getuid() != 0 {
		t.Skip("cutting a network takes root and the command ip")
	}
	space := fmt.Sprintf("gozmq%d", os.Getpid())
	inside, outside := "zi"+strconv.Itoa(os.Getpid()), "zo"+strconv.Itoa(os.Getpid())
	ip := func(words string) error {
		out, err := exec.Command("ip", strings.Fields(words)...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("ip %s: %w: %s", words, err, out)
		}
		return nil
	}
	if err := ip("netns add " + space); err != nil {
		t.Skip("there are no network namespaces here:", err)
	}
	t.Cleanup(func() { require.NoError(t, ip("netns delete "+space)) })
	for _, words := range []string{
		"link add " + outside + " type veth peer name " + inside + " netns " + space,
		"addr add 198.18.77.1/30 dev " + outside,
		"link set " + outside + " up",
		"netns exec " + space + " ip addr add 198.18.77.2/30 dev " + inside,
		"netns exec " + space + " ip link set " + inside + " up",
	} {
		require.NoError(t, ip(words))
	}
	const messages = 50_000
	c := newCollector(t, pooled, "tcp://198.18.77.1:*")
	child := process(t, job{Endpoint: c.endpoint, Way: pooled, Messages: messages}, "ip", "netns", "exec", space)
	c.await(0, 1)
	for range 3 {
		require.NoError(t, ip("link set "+outside+" down"))
		time.Sleep(50 * time.Millisecond) // the length of the cut
		require.NoError(t, ip("link set "+outside+" up"))
		before := c.seen[0].Load()
		c.await(0, min(before+5000, messages))
	}
	require.NoError(t, child.Wait())
	c.await(0, messages)
	c.stop()
	settled(t, &c.ledger, map[uint32]int{0: messages})
}

func newCollector(t *testing.T, way, endpoint string) *collector {
	t.Helper()
	c := &collector{r: newRun(t, way, 1), took: make(chan struct{}, 1)}
	pull := newSocket(t, c.r.c, zmq.Pull)
	c.endpoint = bind(t, pull, endpoint)
	c.r.start(func() error {
		return receive(c.r.ctx, pull, way, nil, func(parts [][]byte, _ *zmq.Message) error {
			// One connection of each producer.
			id, _ := c.ledger.Take(0, parts)
			c.seen[id%64].Add(1)
			select {
			case c.took <- struct{}{}:
			default:
			}
			return nil
		})
	})
	return c
}

// await waits until n messages of a producer have come.
func (c *collector) await(id uint32, n uint64) {
	c.r.t.Helper()
	ctx, cancel := context.WithTimeout(c.r.ctx, patience)
	defer cancel()
	for c.seen[id].Load() < n {
		select {
		case <-c.took:
		case <-ctx.Done():
			require.NoError(c.r.t, ctx.Err(), "%d of %d messages of %d have come", c.seen[id].Load(), n, id)
		}
	}
}

func (c *collector) stop() {
	c.r.cancel(errAllThere)
	c.r.group.Wait()
}
