//go:build !asan

package zmq_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/zmq"
)

// What each operation may allocate, also under the race detector. AddressSanitizer
// allocates as well, so this runs without it.
func TestAllocationCeilings(t *testing.T) {
	ctx := t.Context()
	a, b := pair(t, zmq.Dealer, zmq.Dealer, inprocName())
	part, buf := payload(64), make([]byte, 64)
	parts := [][]byte{part, part, part, part}
	six := [][]byte{part, part, part, part, part, part}
	var m zmq.Message
	var views zmq.Multipart
	recv := func(s *zmq.Socket) error { return errOf(s.Recv(ctx, buf)) }
	drain := func() error {
		err := recv(b)
		for b.RecvMore() && err == nil {
			err = recv(b)
		}
		return err
	}
	ceiling := func(name string, most float64, op func() error) {
		t.Helper()
		got := testing.AllocsPerRun(500, func() {
			if err := op(); err != nil {
				t.Error(name, err)
			}
		})
		require.LessOrEqual(t, got, most, name)
	}

	ceiling("Send and Recv", 0, func() error { return errors.Join(a.Send(ctx, part), drain()) })
	ceiling("without a context", 0, func() error {
		return errors.Join(a.Send(context.Background(), part), errOf(b.Recv(context.Background(), buf)))
	})
	ceiling("SendString", 0, func() error { return errors.Join(a.SendString(ctx, "hello"), drain()) })
	for n := 1; n <= 4; n++ {
		ceiling("SendMultipart", 0, func() error { return errors.Join(a.SendMultipart(ctx, parts[:n]), drain()) })
	}
	if !testutil.Race { // sync.Pool forgets on purpose under the race detector
		ceiling("SendMultipart of six parts", 0, func() error { return errors.Join(a.SendMultipart(ctx, six), drain()) })
	}
	ceiling("SendMore", 0, func() error { return errors.Join(a.Send(ctx, part, zmq.SendMore), a.Send(ctx, part), drain()) })
	ceiling("RecvMessage and SendMessage", 0, func() error {
		return errors.Join(a.Send(ctx, part), b.RecvMessage(ctx, &m), b.SendMessage(ctx, &m), recv(a))
	})
	ceiling("RecvMultipartMessage", 0, func() error {
		return errors.Join(a.SendMultipart(ctx, parts), b.RecvMultipartMessage(ctx, &views))
	})
	ceiling("RecvBytes", 1, func() error { return errors.Join(a.Send(ctx, part), errOf(b.RecvBytes(ctx))) })
	ceiling("RecvMultipart", 2, func() error { return errors.Join(a.SendMultipart(ctx, parts), errOf(b.RecvMultipart(ctx))) })
	batch := newBatch(t, 20)
	ceiling("Append, SendBatch and RecvBatch", 0, func() error {
		for i := range 20 {
			if err := batch.Append(parts[:1+i%4]...); err != nil {
				return err
			}
		}
		err := errors.Join(errOf(a.SendBatch(ctx, batch)), errOf(b.RecvBatch(ctx, batch)))
		for i := range batch.Len() {
			if len(batch.At(i)) != 1+i%4 {
				t.Error("a message was torn")
			}
		}
		err = errors.Join(err, errOf(b.SendBatch(ctx, batch)), errOf(a.RecvBatch(ctx, batch)))
		batch.Reset()
		return err
	})
	require.NoError(t, b.Set(zmq.ReadAhead.To(20)))
	ceiling("receives of what was read ahead", 0, func() (err error) {
		for range 10 {
			err = errors.Join(err, a.SendMultipart(ctx, parts))
		}
		for range 3 {
			err = errors.Join(err, b.RecvMultipartMessage(ctx, &views), drain())
			for range parts {
				err = errors.Join(err, b.RecvMessage(ctx, &m))
			}
		}
		return errors.Join(err, drain())
	})
	require.NoError(t, b.Set(zmq.ReadAhead.To(0)))
	ceiling("Alloc", 0, func() error { return m.Alloc(1000) })
	released := make(chan struct{}, 1)
	release := func() { released <- struct{}{} }
	most := 2.0 // the Message, and one of runtime.Pinner's
	if testutil.Race {
		most++
	}
	ceiling("NewMessageZeroCopy", most, func() error {
		lent, err := zmq.NewMessageZeroCopy(part, release)
		err = errors.Join(err, a.SendMessage(ctx, lent), b.RecvMessage(ctx, &m), m.Close())
		<-released
		return err
	})
	ceiling("DontWait and nothing there", 0, func() error {
		if _, err := b.Recv(ctx, buf, zmq.DontWait); err == nil {
			t.Error("received something")
		}
		return nil
	})
	require.NoError(t, m.Close())
	require.NoError(t, views[:cap(views)].Close())
}
