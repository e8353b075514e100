//go:build linux

package account_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Peers that are killed take with them what they had not sent; what came of each is
// the beginning of what it sent, without holes, and others notice nothing.
func TestAccountKilled(t *testing.T) {
	for pattern := range duties {
		for _, way := range []string{plain, batch, pooled} {
			if way == batch && duties[pattern].window == 1 {
				continue // there are no batches of one's own questions
			}
			for _, transport := range []string{"tcp", "ipc"} {
				t.Run(pattern+"/"+way+"/"+transport, func(t *testing.T) {
					t.Parallel()
					killed(t, pattern, way, transport)
				})
			}
		}
	}
}

func killed(t *testing.T, pattern, way, transport string) {
	const victims, messages = 4, 10_000
	c := newCollector(t, pattern, way, endpointOf(transport))
	// A PAIR has one peer at a time. Whoever comes while what is left of the one before
	// is still being read is connected, but never heard (docs/safety.md).
	alone := pattern == "PAIR"
	var survivor *exec.Cmd
	if !alone {
		survivor = c.child(0, messages)
	}
	for id := uint32(1); id <= victims; id++ {
		victim := c.child(id, 0)
		c.await(id, 200+rand.Uint64N(500))
		require.NoError(t, victim.Process.Kill())
		_, err := victim.Process.Wait()
		require.NoError(t, err)
		totals.fault(kills, 1)
		if alone {
			c.awaitNobody()
		}
	}
	if alone {
		survivor = c.child(0, messages)
	}
	require.NoError(t, survivor.Wait())
	c.await(0, messages)
	c.stop()
	lost := uint64(0)
	for id := uint32(0); id <= victims; id++ {
		n, _ := c.ledger.Missing(id, c.ledger.End(id))
		lost += n
	}
	totals.book(&c.ledger, lost)
	require.NoError(t, c.ledger.Report().Fault())
	require.Zero(t, lost, "messages lost in the middle")
	require.EqualValues(t, messages, c.ledger.End(0))
}

// Peers that are stopped for a while, and go on, lose nothing.
func TestAccountStopped(t *testing.T) {
	for pattern := range duties {
		for _, way := range []string{plain, batch, pooled} {
			if way == batch && duties[pattern].window == 1 {
				continue
			}
			t.Run(pattern+"/"+way, func(t *testing.T) {
				t.Parallel()
				stopped(t, pattern, way)
			})
		}
	}
}

func stopped(t *testing.T, pattern, way string) {
	const messages = 10_000
	peers := 2
	if pattern == "PAIR" {
		peers = 1
	}
	c := newCollector(t, pattern, way, endpointOf("tcp"))
	sent := map[uint32]int{}
	var all []*exec.Cmd
	for id := range uint32(peers) {
		sent[id] = messages
		all = append(all, c.child(id, messages))
	}
	stop := repeat(t, 10*time.Millisecond, func(r *rand.Rand) {
		p := all[r.IntN(peers)].Process
		if p.Signal(syscall.SIGSTOP) != nil {
			return // it has ended
		}
		totals.fault(stops, 1)
		time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
		_ = p.Signal(syscall.SIGCONT)
	})
	for id, p := range all {
		require.NoError(t, p.Wait())
		c.await(uint32(id), messages)
	}
	stop()
	c.stop()
	settled(t, &c.ledger, sent)
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
	for pattern := range duties {
		t.Run(pattern, func(t *testing.T) {
			const messages = 20_000
			c := newCollector(t, pattern, pooled, "tcp://198.18.77.1:*")
			child := c.child(0, messages, "ip", "netns", "exec", space)
			c.await(0, 1)
			for range 3 {
				require.NoError(t, ip("link set "+outside+" down"))
				totals.fault(cuts, 1)
				time.Sleep(50 * time.Millisecond) // the length of the cut
				require.NoError(t, ip("link set "+outside+" up"))
				c.await(0, min(c.seen[0].Load()+2000, messages))
			}
			require.NoError(t, child.Wait())
			c.await(0, messages)
			c.stop()
			settled(t, &c.ledger, map[uint32]int{0: messages})
		})
	}
}
