//go:build unix

package account_test

import (
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"time"
)

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

// interrupt sends the process a storm of the signal by which Go's runtime interrupts
// threads, at some 10 kHz: system calls end with EINTR.
func interrupt(t testing.TB) {
	repeat(t, 100*time.Microsecond, func(*rand.Rand) {
		_ = syscall.Kill(os.Getpid(), syscall.SIGURG)
		totals.fault(interrupts, 1)
	})
}
