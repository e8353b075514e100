package workload_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/bench/cfloor"
	"github.com/go-zmq/go-zmq/bench/workload"
	"github.com/go-zmq/go-zmq/zmq"
)

// pinned returns the processors of a thread after pinning it. Without processors it does
// not pin the thread.
func pinned(cpus []int) []int {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if len(cpus) > 0 {
		undo, err := cfloor.PinThread(cpus)
		if err != nil {
			return nil
		}
		defer undo()
	}
	return cfloor.Affinity()
}

// runTwice runs a workload, which checks its messages.
func runTwice(t *testing.T, spec workload.Spec) {
	t.Helper()
	spec.Messages = 300
	w := open(t, spec)
	for range 2 {
		r, err := w.Run()
		require.NoError(t, err)
		require.Equal(t, spec.Received(), r.Messages)
		require.EqualValues(t, spec.Received()*spec.Size, r.Bytes)
	}
}

// Messages of several parts, also of different lengths, in all modes.
func TestParts(t *testing.T) {
	t.Parallel()
	for _, pattern := range []workload.Pattern{workload.RouterRouter, workload.PushPull, workload.PubSub, workload.Pair} {
		for _, mode := range workload.Modes() {
			for _, impl := range workload.Impls() {
				for _, parts := range []int{2, 7} {
					spec := workload.Spec{Pattern: pattern, Transport: workload.TCP, Mode: mode, Impl: impl, Size: 100, Parts: parts}
					require.Contains(t, spec.String(), fmt.Sprintf("/parts=%d/", parts))
					t.Run(spec.String(), func(t *testing.T) {
						t.Parallel()
						runTwice(t, spec)
					})
				}
			}
		}
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	p := []byte("0123456789")
	require.Equal(t, [][]byte{p}, workload.Split(p, 1))
	require.Equal(t, [][]byte{[]byte("012"), []byte("345"), []byte("6789")}, workload.Split(p, 3))
}

// The patterns of the draft API, in all modes.
func TestDraftPatterns(t *testing.T) {
	t.Parallel()
	for _, pattern := range workload.DraftPatterns() {
		for _, impl := range workload.Impls() {
			for _, mode := range workload.Modes() {
				for _, peers := range []int{1, 3} {
					spec := workload.Spec{
						Pattern: pattern, Transport: workload.TCP, Mode: mode, Impl: impl, Size: 100, Receivers: peers,
					}
					t.Run(spec.String(), func(t *testing.T) {
						t.Parallel()
						if !zmq.Has("draft") {
							_, err := workload.Open(t.Context(), spec)
							require.ErrorIs(t, err, zmq.ErrNotSupported)
							return
						}
						runTwice(t, spec)
					})
				}
			}
		}
	}
}

// Messages repeat the payload of the Spec.
func TestPayload(t *testing.T) {
	t.Parallel()
	require.Equal(t, []byte("abcabcab"), workload.Fill(8, "abc"))
	require.Equal(t, []byte("ab"), workload.Fill(2, "abc"))
	require.Equal(t, workload.Payload(9), workload.Fill(9, ""))
	for _, impl := range workload.Impls() {
		t.Run(string(impl), func(t *testing.T) {
			t.Parallel()
			runTwice(t, workload.Spec{
				Pattern: workload.PushPull, Transport: workload.IPC, Mode: workload.Batch, Impl: impl, Size: 100, Payload: "abc",
			})
		})
	}
}

// A run pins the threads of both ends and of libzmq, and undoes it.
func TestPin(t *testing.T) {
	t.Parallel()
	allowed := cfloor.Affinity()
	if len(allowed) == 0 {
		t.Skip("the system does not say on which processors a thread runs")
	}
	first, last := allowed[0], allowed[len(allowed)-1]
	pin := fmt.Sprintf("%d/%d/%d", first, last, last)
	for _, pattern := range []workload.Pattern{workload.PushPull, workload.ReqRep} {
		for _, impl := range workload.Impls() {
			t.Run(fmt.Sprint(pattern, impl), func(t *testing.T) {
				t.Parallel()
				runTwice(t, workload.Spec{
					Pattern: pattern, Transport: workload.TCP, Mode: workload.Blocking, Impl: impl, Size: 100, Pin: pin,
				})
			})
		}
	}
	// A run on a processor that does not exist fails.
	none := -1
	for cpu := range 1024 {
		if !slices.Contains(allowed, cpu) {
			none = cpu
		}
	}
	for _, impl := range workload.Impls() {
		w := open(t, workload.Spec{
			Pattern: workload.PushPull, Transport: workload.TCP, Mode: workload.Blocking, Impl: impl, Size: 100, Messages: 10,
			Pin: fmt.Sprintf("%d/%d", none, first),
		})
		_, err := w.Run()
		require.ErrorContains(t, err, "invalid argument", "the error of the system")
	}
}

func TestPinThread(t *testing.T) {
	t.Parallel()
	done := make(chan []int, 3)
	go func() {
		defer close(done)
		done <- pinned(nil)
		allowed := cfloor.Affinity()
		done <- pinned(allowed[:min(1, len(allowed))])
		done <- cfloor.Affinity()
	}()
	before, during, after := <-done, <-done, <-done
	if len(before) == 0 {
		t.Skip("the system does not say on which processors a thread runs")
	}
	require.Equal(t, before[:1], during)
	require.Equal(t, before, after)
}
