package poller_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil"
	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

// Sockets and descriptors are added, become ready, and are removed or closed while a
// Poller waits for them. It reports the others.
func TestStressClose(t *testing.T) {
	lives := 4000
	if testutil.Race || testutil.Asan || testing.Short() {
		lives = 400
	}
	// libzmq's reaper thread may be slower than the goroutines that close sockets.
	zctx := newContext(t, zmq.MaxSockets.To(4096))
	p := newPoller(t)
	var reported sync.Map // *zmq.Socket or descriptor: a channel to close
	var ended sync.WaitGroup
	ended.Go(func() {
		for {
			ready, err := p.Poll(-1)
			if err != nil {
				return // closed: the end of the test
			}
			for _, e := range ready {
				key := any(e.Socket)
				if e.Socket == nil {
					key = e.FD
				}
				if told, ok := reported.LoadAndDelete(key); ok {
					close(told.(chan struct{}))
				}
			}
		}
	})
	var workers sync.WaitGroup
	var failure atomic.Pointer[error]
	fail := func(err error) bool {
		if err != nil {
			failure.CompareAndSwap(nil, &err)
		}
		return err != nil
	}
	for i := range 4 {
		workers.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 9))
			for n := range lives {
				if failure.Load() != nil || fail(oneLife(zctx, p, &reported, fmt.Sprintf("inproc://life-%d-%d", i, n), r)) {
					return
				}
			}
		})
	}
	workers.Wait()
	if err := failure.Load(); err != nil {
		require.NoError(t, *err)
	}
	require.Zero(t, p.Len())
	require.NoError(t, p.Close())
	ended.Wait()
}

// oneLife adds a socket or a descriptor to p, makes it ready, waits for the report or
// not, and removes or closes it in one of several ways.
func oneLife(zctx *zmq.Context, p *poller.Poller, reported *sync.Map, endpoint string, r *rand.Rand) error {
	told := make(chan struct{})
	patient := func() error {
		select {
		case <-told:
			return nil
		case <-time.After(stall):
			return errors.New("ready, and not reported")
		}
	}
	if r.IntN(3) == 0 {
		return oneLifeOfFD(p, reported, told, patient, r)
	}
	pull, err := zctx.NewSocket(zmq.Pull)
	if err != nil {
		return err
	}
	push, err := zctx.NewSocket(zmq.Push, zmq.Linger.To(0))
	if err != nil {
		return err
	}
	reported.Store(pull, told)
	err = errors.Join(p.Add(pull, poller.In), pull.Bind(endpoint), push.Connect(endpoint), push.SendString(context.Background(), "x"))
	if err == nil && r.IntN(4) > 0 {
		err = patient()
	}
	reported.Delete(pull)
	if r.IntN(2) == 0 {
		err = errors.Join(err, p.Remove(pull))
	}
	return errors.Join(err, pull.Close(), push.Close())
}
