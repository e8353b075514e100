//go:build linux

package account_test

import (
	"math/rand/v2"
	"os/exec"
	"testing"

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
