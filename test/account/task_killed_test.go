//go:build linux

package account_test

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/account"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/task"
)

// taskVariable tells a child process where the queue is whose worker it is.
const taskVariable = "GOZMQ_TEST_TASKS"

// Processes of workers that are killed and replaced lose no task: each one is acknowledged by
// a process that has checked its content.
func TestAccountTasksKilled(t *testing.T) {
	n := max(min(*messages, 1_000_000)/50, 2000)
	k := newTasks(t)
	stop, killed := make(chan struct{}), 0
	var keepers sync.WaitGroup
	var mu sync.Mutex
	for range 2 {
		keepers.Go(func() {
			for {
				child := exec.Command(os.Args[0], "-test.run=^TestTaskProcess$", "-test.timeout="+(5*patience).String())
				child.Env = append(os.Environ(), taskVariable+"="+k.endpoint, "GORACE=atexit_sleep_ms=0 "+os.Getenv("GORACE"))
				child.Stdout, child.Stderr = os.Stderr, os.Stderr
				child.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
				if err := child.Start(); err != nil {
					t.Error(err)
					return
				}
				before, ended := k.queue.Stats().Acknowledged, false
				for k.queue.Stats().Acknowledged < before+uint64(100+rand.IntN(n/20)) && !ended {
					select {
					case <-stop:
						ended = true
					case <-time.After(time.Millisecond):
					}
				}
				if err := child.Process.Kill(); err != nil {
					t.Errorf("the worker found something wrong: %v", err)
				}
				_ = child.Wait()
				if ended {
					return
				}
				mu.Lock()
				killed++
				mu.Unlock()
				totals.fault(kills, 1)
			}
		})
	}
	var p account.Producer
	for range n {
		require.NoError(t, k.queue.Push(k.ctx, pack(p.Make())))
	}
	require.NoError(t, k.queue.Drain(k.ctx))
	close(stop)
	keepers.Wait()
	s := k.queue.Stats()
	require.EqualValues(t, n, s.Acknowledged)
	require.Zero(t, s.Malformed)
	require.Positive(t, killed)
	require.NoError(t, k.queue.Close())
	t.Logf("account: %d tasks acknowledged, %d delivered again, %d late answers, %d workers killed", n, s.Redelivered, s.Late, killed)
}

// TestTaskProcess is what the workers run. Without a queue it does nothing.
func TestTaskProcess(t *testing.T) {
	endpoint := os.Getenv(taskVariable)
	if endpoint == "" {
		return
	}
	dealer := newSocket(t, newContext(t), zmq.Dealer, reconnects()...)
	require.NoError(t, dealer.Connect(endpoint))
	w, err := task.NewWorker(dealer, task.WorkerConfig{Prefetch: 50})
	require.NoError(t, err)
	for got, err := range w.Tasks(context.Background()) {
		require.NoError(t, err)
		_, _, err = account.Check(unpack(got.Payload))
		require.NoError(t, err)
		require.NoError(t, got.Ack())
	}
}
