package rivals

import (
	"context"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/bench/workload"
	"github.com/go-zmq/go-zmq/zmq"
)

// cells returns every Spec that Rival.Open accepts.
func cells(r *Rival) (specs []workload.Spec) {
	patterns := []workload.Pattern{
		workload.RouterRouter, workload.PushPull, workload.PubSub,
		workload.DealerDealer, workload.DealerRouter, workload.ReqRep,
	}
	for _, pattern := range patterns {
		for _, transport := range []workload.Transport{workload.TCP, workload.IPC, workload.InProc} {
			for _, size := range []int{64, 1024, 65536} {
				for _, mode := range r.Modes {
					if returns(pattern) && mode != workload.Blocking {
						continue
					}
					specs = append(specs, workload.Spec{
						Pattern: pattern, Transport: transport, Mode: mode, Impl: r.Impl, Size: size, Messages: 200,
					})
				}
			}
		}
	}
	return specs
}

// Each cell runs twice, except those that Cannot excludes.
func TestEveryCellOfEveryRival(t *testing.T) {
	for _, r := range Rivals() {
		for _, spec := range cells(r) {
			t.Run(spec.String(), func(t *testing.T) {
				if r.Cannot(spec) != "" {
					t.Skip(r.Cannot(spec))
				}
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				result, err := runTwice(ctx, r, spec)
				require.NoError(t, err)
				require.Equal(t, 400, result.Messages)
				require.EqualValues(t, 400*spec.Size, result.Bytes)
				require.Positive(t, result.Elapsed)
			})
		}
	}
}

func runTwice(ctx context.Context, r *Rival, spec workload.Spec) (sum workload.Result, err error) {
	w, err := r.Open(ctx, spec)
	if err != nil {
		return sum, err
	}
	for range 2 {
		result, err := w.Run()
		if err != nil {
			w.Close()
			return sum, err
		}
		sum.Add(result)
	}
	return sum, w.Close()
}

// The rivals on libzmq keep a thread for each waiting receiver.
func TestParkedReceiversPinThreads(t *testing.T) {
	const sockets = 50
	for _, r := range Rivals() {
		t.Run(string(r.Impl), func(t *testing.T) {
			p, err := r.Park(sockets)
			require.NoError(t, err)
			if r.Impl != "go-zeromq" {
				require.Eventually(t, func() bool { return Pinned() >= sockets }, 20*time.Second, time.Millisecond)
			}
			require.NoError(t, p.Close())
		})
	}
}

// go-zmq loads the libzmq that the rivals link.
func TestOneLibzmqInTheProcess(t *testing.T) {
	zctx, err := zmq.NewContext() // loads it
	require.NoError(t, err)
	require.NoError(t, zctx.Close())
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip("the system does not say what is loaded: ", err)
	}
	files := map[string]bool{}
	for _, name := range regexp.MustCompile(`\S*/libzmq\S*\.so\S*`).FindAllString(string(maps), -1) {
		files[name] = true
	}
	require.Len(t, files, 1)
}

// When the context is done, the run ends on both sides.
func TestEndingTheContextEndsARun(t *testing.T) {
	for _, r := range Rivals() {
		t.Run(string(r.Impl), func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			w, err := r.Open(ctx, workload.Spec{
				Pattern: workload.ReqRep, Transport: workload.TCP, Mode: workload.Blocking, Size: 64, Messages: 1 << 40,
			})
			require.NoError(t, err)
			time.AfterFunc(time.Millisecond, cancel)
			_, err = w.Run()
			require.ErrorIs(t, err, context.Canceled)
			require.NoError(t, w.Close())
		})
	}
}
