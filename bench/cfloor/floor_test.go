package cfloor_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/bench/cfloor"
	"github.com/go-zmq/go-zmq/test/testutil"
)

func TestMain(m *testing.M) { testutil.Main(m) }

func open(t *testing.T, c cfloor.Config, endpoint string) *cfloor.Floor {
	t.Helper()
	f, err := cfloor.Open(c, endpoint)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}

var endpoints = map[string]func(*testing.T) string{
	"tcp":    func(*testing.T) string { return "tcp://127.0.0.1:*" },
	"ipc":    func(t *testing.T) string { return "ipc://" + filepath.Join(t.TempDir(), "s") },
	"inproc": func(*testing.T) string { return "inproc://floor" },
}

// run makes three runs over each transport.
func run(t *testing.T, c cfloor.Config) {
	for transport, endpoint := range endpoints {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			f := open(t, c, endpoint(t))
			require.NoError(t, f.Ready())
			for range 3 {
				elapsed, cpu, err := f.Run(500)
				require.NoError(t, err)
				require.Positive(t, elapsed)
				require.Positive(t, cpu)
				require.NoError(t, f.Conclude())
			}
		})
	}
}

func TestEveryPatternModeAndTransport(t *testing.T) {
	t.Parallel()
	patterns := map[string]cfloor.Pattern{"routerrouter": cfloor.RouterRouter, "pushpull": cfloor.PushPull, "dealerdealer": cfloor.DealerDealer}
	modes := map[string]cfloor.Mode{"blocking": cfloor.Blocking, "batch": cfloor.Batch, "sleep": cfloor.Sleep, "sleep10": cfloor.Sleep10, "poll": cfloor.Poll}
	for pattern, p := range patterns {
		for mode, m := range modes {
			t.Run(pattern+"/"+mode, func(t *testing.T) {
				t.Parallel()
				run(t, cfloor.Config{Pattern: p, Mode: m, Size: 64})
			})
		}
	}
}

// Sizes on both sides of what libzmq keeps inside a message, and marks that stop
// the sender.
func TestLendingAndHighWaterMarks(t *testing.T) {
	t.Parallel()
	for pattern, p := range map[string]cfloor.Pattern{"routerrouter": cfloor.RouterRouter, "pushpull": cfloor.PushPull} {
		for _, size := range []int{8, 64, 20_000} {
			for _, lend := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%d/lend=%v", pattern, size, lend), func(t *testing.T) {
					t.Parallel()
					run(t, cfloor.Config{Pattern: p, Size: size, HighWater: 10, Lend: lend})
				})
			}
		}
	}
}

// Close frees messages that were not delivered. The asan lane detects a leak.
func TestStopWhileMemoryIsLent(t *testing.T) {
	t.Parallel()
	f := open(t, cfloor.Config{Pattern: cfloor.PushPull, Size: 100, HighWater: 100, Lend: true}, "inproc://floor")
	require.NoError(t, f.Ready())
	done := make(chan error, 1)
	go func() {
		_, _, err := f.Run(1 << 40)
		done <- err
	}()
	f.Stop()
	require.ErrorContains(t, <-done, "stopped")
}

func TestStopEndsARun(t *testing.T) {
	t.Parallel()
	f := open(t, cfloor.Config{Pattern: cfloor.PushPull, Size: 8}, "inproc://floor")
	require.NoError(t, f.Ready())
	done := make(chan error, 1)
	go func() {
		_, _, err := f.Run(1 << 40)
		done <- err
	}()
	f.Stop()
	require.ErrorContains(t, <-done, "stopped")
}

func TestBadEndpointLeavesNothing(t *testing.T) {
	t.Parallel()
	config := cfloor.Config{Pattern: cfloor.PushPull, Size: 64}
	_, err := cfloor.Open(config, "tcp://127.0.0.1:x")
	require.ErrorContains(t, err, `open "tcp://127.0.0.1:x"`)
	_, err = cfloor.Open(config, "carrier-pigeon://loft")
	require.Error(t, err)
}
