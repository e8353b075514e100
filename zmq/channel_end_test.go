package zmq_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// What a SendChan took is sent, in order, or handed back.
func TestSendChanLosesNothing(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		pull, push := pair(t, zmq.Pull, zmq.Push, endpoint, zmq.SendHWM.To(10), zmq.RecvHWM.To(10))
		messages := scaled(100_000)
		ctx := t.Context()
		go func() {
			random := rand.New(rand.NewPCG(3, 4))
			for next := 0; next < messages; {
				out := push.SendChan(ctx)
				patience := time.After(time.Duration(random.IntN(2000)) * time.Microsecond)
				for n := random.IntN(100); n > 0 && next < messages; n-- {
					select {
					case out.C <- [][]byte{number(next), []byte("body")}:
						next++
					case <-patience:
						n = 0
					}
				}
				if unsent := out.Stop(); unsent != nil {
					next-- // to be sent again
				}
			}
		}()
		for i := range messages {
			require.Equal(t, [][]byte{number(i), []byte("body")}, recvParts(t, pull))
		}
		require.ErrorIs(t, errOf(pull.RecvBytes(context.Background(), zmq.DontWait)), zmq.ErrAgain)
	})
}

// Closing C has everything sent that was taken from it.
func TestSendChanClosed(t *testing.T) {
	t.Parallel()
	pull, push := pair(t, zmq.Pull, zmq.Push, inprocName(), zmq.SendHWM.To(1), zmq.RecvHWM.To(1))
	out := push.SendChan(t.Context())
	go func() {
		for i := range 100 {
			out.C <- [][]byte{number(i)}
		}
		close(out.C)
	}()
	for i := range 100 {
		require.Equal(t, number(i), recvBytes(t, pull))
	}
	<-out.Done()
	require.NoError(t, out.Err())
	require.Nil(t, out.Stop())
}

// A message that cannot be sent ends the SendChan, which names the reason and hands
// it back.
func TestSendChanFails(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	router := newSocket(t, zctx, zmq.Router, zmq.RouterMandatory.To(true))
	full := newSocket(t, zctx, zmq.Push, zmq.SendTimeout.To(time.Millisecond))
	for _, test := range []struct {
		socket  *zmq.Socket
		message [][]byte
		err     error
	}{
		{router, [][]byte{[]byte("nobody"), []byte("hello")}, zmq.ErrHostUnreachable},
		{router, [][]byte{}, syscall.EINVAL},
		{full, [][]byte{[]byte("hello")}, zmq.ErrAgain},
		{newSocket(t, zctx, zmq.Pull), [][]byte{[]byte("hello")}, zmq.ErrNotSupported},
	} {
		out := test.socket.SendChan(t.Context())
		require.NoError(t, out.Err())
		out.C <- test.message
		<-out.Done()
		require.ErrorIs(t, out.Err(), test.err)
		require.Equal(t, test.message, out.Stop())
	}
	in := full.RecvChan(t.Context())
	_, open := <-in.C
	require.False(t, open)
	require.ErrorIs(t, in.Err(), zmq.ErrNotSupported)
	var none *zmq.Socket
	_, open = <-none.RecvChan(t.Context()).C
	require.False(t, open)
	<-none.SendChan(t.Context()).Done()
	for _, unmade := range []*zmq.RecvChan{nil, {}} {
		unmade.Stop()
		require.NoError(t, unmade.Err())
	}
	for _, unmade := range []*zmq.SendChan{nil, {}} {
		require.Nil(t, unmade.Stop())
		require.NoError(t, unmade.Err())
		<-unmade.Done()
	}
}

// Whatever ends in whatever order, all ends, and says why.
func TestChannelsEndInEveryOrder(t *testing.T) {
	t.Parallel()
	steps := []string{"cancel", "stop in", "stop out", "close in's socket", "close out's socket", "shutdown", "close context"}
	orders := rotations(steps)
	random := rand.New(rand.NewPCG(7, 8))
	for range scaled(200) {
		order := append([]string(nil), steps...)
		random.Shuffle(len(order), func(i, k int) { order[i], order[k] = order[k], order[i] })
		orders = append(orders, order)
	}
	for i, order := range orders {
		endInOrder(t, order, i%2 == 0)
	}
}

func rotations(steps []string) (all [][]string) {
	for i := range steps {
		all = append(all, append(append([]string(nil), steps[i:]...), steps[:i]...))
	}
	return all
}

// endInOrder takes the steps with a message on offer and one that finds no room, or
// with neither.
func endInOrder(t *testing.T, order []string, busy bool) {
	t.Helper()
	zctx := newContext(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	pull, push := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push)
	stuck := newSocket(t, zctx, zmq.Push)
	connect(t, pull, push, inprocName())
	in, out := pull.RecvChan(ctx), push.SendChan(ctx)
	ready := pull.Ready()
	if busy {
		require.NoError(t, push.SendString(context.Background(), "on offer"))
		out = stuck.SendChan(ctx)
		out.C <- [][]byte{[]byte("no room")}
	}
	var late sync.WaitGroup
	late.Go(func() { // a sender that comes too late is told
		for {
			select {
			case out.C <- [][]byte{[]byte("late")}:
			case <-out.Done():
				return
			}
		}
	})
	for _, step := range order {
		var err error
		switch step {
		case "cancel":
			cancel()
		case "stop in":
			in.Stop()
		case "stop out":
			out.Stop()
		case "close in's socket":
			err = pull.Close()
		case "close out's socket":
			require.NoError(t, push.Close())
			err = stuck.Close()
		case "shutdown":
			err = zctx.Shutdown()
		case "close context":
			err = zctx.Close()
		}
		require.NoError(t, err, strings.Join(order, ", "))
	}
	for range in.C {
	}
	<-out.Done()
	late.Wait()
	for range ready {
	}
	for _, err := range []error{in.Err(), out.Err()} {
		require.Error(t, err)
		require.Regexp(t, "closed|canceled|shut down", err.Error(), strings.Join(order, ", "))
		require.IsType(t, &zmq.Error{}, err)
	}
	if busy {
		require.Equal(t, fmt.Sprintf("%q", out.Stop()), `["no room"]`)
	}
}
