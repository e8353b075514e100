//go:build unix

package account_test

import "testing"

// Connections that are delayed, split into single bytes and blackholed for a while,
// system calls that are interrupted, and calls that are cancelled cost time, but
// neither messages nor their order.
func TestAccountDisturbed(t *testing.T) {
	n := *messages / 2000
	for _, c := range cells {
		t.Run(c.pattern, func(t *testing.T) {
			t.Parallel()
			for harm := range harms {
				for way := range c.shares {
					t.Run(harm+"/"+way, func(t *testing.T) {
						t.Parallel()
						c.run(t, way, "tcp "+harm, min(max(n, 300), 3000))
					})
				}
			}
			for _, way := range []string{cancelled, cancelledBatch} {
				if way == cancelledBatch && c.shares[batch] == 0 {
					continue
				}
				t.Run(way, func(t *testing.T) {
					t.Parallel()
					c.run(t, way, "tcp", min(max(10*n, 1200), 50_000))
				})
			}
		})
	}
}

func TestAccountInterrupted(t *testing.T) {
	interrupt(t)
	for _, c := range cells {
		for way := range c.shares {
			t.Run(c.pattern+"/"+way, func(t *testing.T) { c.run(t, way, "tcp", max(*messages/100, 1200)) })
		}
	}
}
