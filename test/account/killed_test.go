//go:build linux

package account_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Peers that are killed lose the messages that they had not sent. The messages received from such
// a peer are the first ones that it sent, without gaps. Other peers are not affected.
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
	// A PAIR has one peer at a time. A peer that connects while messages of the previous one are
	// still being read stays connected but is never served (docs/safety.md).
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
			c.awaitNoPeer()
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

// A network that is cut for less than TCP's timeout loses nothing.
func TestAccountNetworkCut(t *testing.T) {
	if _, err := exec.LookPath("ip"); err != nil || os.Getuid() != 0 {
		t.Skip("cutting a network takes root and the command ip")
	}
	if _, err := exec.LookPath("nsenter"); err != nil {
		t.Skip("cutting a network takes the command nsenter")
	}
	inside, here, there := otherNetwork(t)
	for pattern := range duties {
		t.Run(pattern, func(t *testing.T) {
			messages := 50_000
			if duties[pattern].window > 0 {
				messages = 20_000 // which wait for each other
			}
			all := uint64(messages)
			c := newCollector(t, pattern, pooled, "tcp://"+here+":*")
			child := c.child(0, messages, inside...)
			c.await(0, 1)
			cut := 0
			for range 3 {
				// Of that end, since what is sent here meanwhile must not go by another way.
				require.NoError(t, command(inside, "ip link set "+there+" down"))
				// How long the cut lasts is what is tested. In its first part what had
				// arrived before is still received, in the rest nothing is.
				time.Sleep(10 * time.Millisecond)
				before := c.seen[0].Load()
				time.Sleep(50 * time.Millisecond)
				if before < all && c.seen[0].Load() == before {
					cut++
				}
				require.NoError(t, command(inside, "ip link set "+there+" up"))
				c.await(0, min(c.seen[0].Load()+2000, all))
			}
			require.NoError(t, child.Wait())
			c.await(0, all)
			c.stop()
			require.Positive(t, cut, "nothing was under way when the network was cut")
			totals.fault(cuts, cut)
			settled(t, &c.ledger, map[uint32]int{0: messages})
		})
	}
}

// otherNetwork creates a network namespace that is connected with this one. It returns the command
// that runs a program in the namespace, the address on this side, and the name of the link on the
// other side. The namespace belongs to a process that ends with this one. The namespace, both ends
// of the link and the addresses then disappear, so that they do not disturb later tests. The
// system needs a moment for that.
func otherNetwork(t *testing.T) (inside []string, here, there string) {
	t.Helper()
	keeper := exec.Command("cat") // until its input ends
	keeper.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	input, err := keeper.StdinPipe()
	require.NoError(t, err)
	if err := keeper.Start(); err != nil {
		t.Skip("there are no network namespaces here:", err)
	}
	t.Cleanup(func() {
		_ = input.Close()
		_ = keeper.Wait()
	})
	of := strconv.Itoa(keeper.Process.Pid)
	inside = []string{"nsenter", "--net=/proc/" + of + "/ns/net"}
	near, far := "zo"+of, "zi"+of
	// One of the small networks of the range for tests of networks (RFC 2544).
	n := keeper.Process.Pid % (1 << 14)
	net := fmt.Sprintf("198.%d.%d.", 18+n>>13, n>>5&255)
	here, peer := net+strconv.Itoa(n&31<<3+1), net+strconv.Itoa(n&31<<3+2)
	if err := command(nil, "ip link add "+near+" type veth peer name "+far+" netns "+of); err != nil {
		t.Skip("there are no links between network namespaces here:", err)
	}
	t.Cleanup(func() { require.NoError(t, command(nil, "ip link delete "+near)) })
	for _, c := range []struct {
		prefix []string
		words  string
	}{
		{nil, "ip addr add " + here + "/30 dev " + near},
		{nil, "ip link set " + near + " up"},
		{inside, "ip addr add " + peer + "/30 dev " + far},
		{inside, "ip link set " + far + " up"},
	} {
		require.NoError(t, command(c.prefix, c.words))
	}
	return inside, here, far
}

// command runs one command, and says what it said when it fails.
func command(prefix []string, words string) error {
	all := append(slices.Clip(prefix), strings.Fields(words)...)
	out, err := exec.Command(all[0], all[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(all, " "), err, out)
	}
	return nil
}
