package cfloor_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/leak"
	"github.com/go-zmq/go-zmq/internal/libzmq/cfloor"
)

func TestMain(m *testing.M) { leak.Main(m) }

func open(t *testing.T, p cfloor.Pattern, m cfloor.Mode, endpoint string, size int) *cfloor.Floor {
	t.Helper()
	f, err := cfloor.Open(p, m, endpoint, size)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}

func TestEveryPatternModeAndTransport(t *testing.T) {
	t.Parallel()
	patterns := map[string]cfloor.Pattern{"routerrouter": cfloor.RouterRouter, "pushpull": cfloor.PushPull, "dealerdealer": cfloor.DealerDealer}
	modes := map[string]cfloor.Mode{"blocking": cfloor.Blocking, "batch": cfloor.Batch, "sleep": cfloor.Sleep, "poll": cfloor.Poll}
	endpoints := map[string]func(*testing.T) string{
		"tcp":    func(*testing.T) string { return "tcp://127.0.0.1:*" },
		"ipc":    func(t *testing.T) string { return "ipc://" + filepath.Join(t.TempDir(), "s") },
		"inproc": func(*testing.T) string { return "inproc://floor" },
	}
	for pattern, p := range patterns {
		for mode, m := range modes {
			for transport, endpoint := range endpoints {
				t.Run(fmt.Sprintf("%s/%s/%s", pattern, mode, transport), func(t *testing.T) {
					t.Parallel()
					f := open(t, p, m, endpoint(t), 64)
					require.NoError(t, f.Ready())
					for range 3 {
						elapsed, cpu, err := f.Run(500)
						require.NoError(t, err)
						require.Positive(t, elapsed)
						require.Positive(t, cpu)
					}
				})
			}
		}
	}
}

func TestStopEndsARun(t *testing.T) {
	t.Parallel()
	f := open(t, cfloor.PushPull, cfloor.Blocking, "inproc://floor", 8)
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
	_, err := cfloor.Open(cfloor.PushPull, cfloor.Blocking, "tcp://127.0.0.1:x", 64)
	require.ErrorContains(t, err, `open "tcp://127.0.0.1:x"`)
	_, err = cfloor.Open(cfloor.PushPull, cfloor.Blocking, "carrier-pigeon://loft", 64)
	require.Error(t, err)
}

func TestCloseTwice(t *testing.T) {
	t.Parallel()
	f := open(t, cfloor.PushPull, cfloor.Blocking, "inproc://floor", 64)
	require.NoError(t, f.Close())
	require.NoError(t, f.Close())
	f.Stop()
}
