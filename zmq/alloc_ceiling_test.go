//go:build !asan

package zmq_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil"
	"github.com/go-zmq/go-zmq/zmq"
)

// What each operation may allocate, also under the race detector. AddressSanitizer
// allocates as well, so this runs without it.
func TestAllocationCeilings(t *testing.T) {
	a, b := pair(t, zmq.Dealer, zmq.Dealer, inprocName())
	part, buf := payload(64), make([]byte, 64)
	parts := [][]byte{part, part, part, part}
	six := [][]byte{part, part, part, part, part, part}
	var m zmq.Message
	var views zmq.Multipart
	drain := func() {
		for range 6 {
			if _, err := b.Recv(context.Background(), buf); err != nil {
				t.Error(err)
			}
			if !b.RecvMore() {
				return
			}
		}
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

	ceiling("Send and Recv", 0, func() error { err := a.Send(context.Background(), part); drain(); return err })
	ceiling("SendContext and RecvContext", 0, func() error {
		if err := a.Send(t.Context(), part); err != nil {
			return err
		}
		_, err := b.Recv(t.Context(), buf)
		return err
	})
	ceiling("SendString", 0, func() error { err := a.SendString(context.Background(), "hello"); drain(); return err })
	for n := 1; n <= 4; n++ {
		ceiling("SendMultipart", 0, func() error { err := a.SendMultipart(context.Background(), parts[:n]); drain(); return err })
	}
	if !testutil.Race { // sync.Pool forgets on purpose under the race detector
		ceiling("SendMultipart of six parts", 0, func() error { err := a.SendMultipart(context.Background(), six); drain(); return err })
	}
	ceiling("SendMore", 0, func() error {
		if err := a.Send(context.Background(), part, zmq.SendMore); err != nil {
			return err
		}
		err := a.Send(context.Background(), part)
		drain()
		return err
	})
	ceiling("RecvMessage and SendMessage", 0, func() error {
		if err := a.Send(context.Background(), part); err != nil {
			return err
		}
		if err := b.RecvMessage(context.Background(), &m); err != nil {
			return err
		}
		if err := b.SendMessage(context.Background(), &m); err != nil {
			return err
		}
		_, err := a.Recv(context.Background(), buf)
		return err
	})
	ceiling("RecvMultipartMessage", 0, func() error {
		if err := a.SendMultipart(context.Background(), parts); err != nil {
			return err
		}
		return b.RecvMultipartMessage(context.Background(), &views)
	})
	ceiling("RecvBytes", 1, func() error {
		if err := a.Send(context.Background(), part); err != nil {
			return err
		}
		_, err := b.RecvBytes(context.Background())
		return err
	})
	ceiling("RecvMultipart", 2, func() error {
		if err := a.SendMultipart(context.Background(), parts); err != nil {
			return err
		}
		_, err := b.RecvMultipart(context.Background())
		return err
	})
	batch := newBatch(t, 20)
	ceiling("Append, SendBatch and RecvBatch", 0, func() error {
		for i := range 20 {
			if err := batch.Append(parts[:1+i%4]...); err != nil {
				return err
			}
		}
		if _, err := a.SendBatch(context.Background(), batch); err != nil {
			return err
		}
		if _, err := b.RecvBatch(context.Background(), batch); err != nil {
			return err
		}
		for i := range batch.Len() {
			if len(batch.At(i)) != 1+i%4 {
				t.Error("a message was torn")
			}
		}
		if _, err := b.SendBatch(context.Background(), batch); err != nil {
			return err
		}
		_, err := a.RecvBatch(context.Background(), batch)
		batch.Reset()
		return err
	})
	require.NoError(t, b.Set(zmq.ReadAhead.To(20)))
	ceiling("Recv of what was read ahead", 0, func() error {
		for range 10 {
			if err := a.Send(context.Background(), part); err != nil {
				return err
			}
		}
		for range 10 {
			if _, err := b.Recv(context.Background(), buf); err != nil {
				return err
			}
		}
		return nil
	})
	ceiling("RecvMessage and RecvMultipartMessage of what was read ahead", 0, func() error {
		for range 10 {
			if err := a.SendMultipart(context.Background(), parts); err != nil {
				return err
			}
		}
		for range 5 {
			if err := b.RecvMultipartMessage(context.Background(), &views); err != nil {
				return err
			}
			for range parts {
				if err := b.RecvMessage(context.Background(), &m); err != nil {
					return err
				}
			}
		}
		return nil
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
		if err != nil {
			return err
		}
		if err := a.SendMessage(context.Background(), lent); err != nil {
			return err
		}
		if err := b.RecvMessage(context.Background(), &m); err != nil {
			return err
		}
		err = m.Close()
		<-released
		return err
	})
	ceiling("DontWait and nothing there", 0, func() error {
		if _, err := b.Recv(context.Background(), buf, zmq.DontWait); err == nil {
			t.Error("received something")
		}
		return nil
	})
	require.NoError(t, m.Close())
	require.NoError(t, views[:cap(views)].Close())
}
