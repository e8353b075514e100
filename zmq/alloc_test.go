//go:build !race && !asan

package zmq_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// What each operation may allocate. The race detector and AddressSanitizer allocate
// by themselves, so these run without them.
func TestAllocationCeilings(t *testing.T) {
	a, b := pair(t, zmq.Dealer, zmq.Dealer, inprocName())
	part, buf := payload(64), make([]byte, 64)
	parts := [][]byte{part, part, part, part}
	six := [][]byte{part, part, part, part, part, part}
	var m zmq.Message
	var views zmq.Multipart
	drain := func() {
		for range 6 {
			if _, err := b.Recv(buf); err != nil {
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

	ceiling("Send and Recv", 0, func() error { err := a.Send(part); drain(); return err })
	ceiling("SendContext and RecvContext", 0, func() error {
		if err := a.SendContext(t.Context(), part); err != nil {
			return err
		}
		_, err := b.RecvContext(t.Context(), buf)
		return err
	})
	ceiling("SendString", 0, func() error { err := a.SendString("hello"); drain(); return err })
	for n := 1; n <= 4; n++ {
		ceiling("SendMultipart", 0, func() error { err := a.SendMultipart(parts[:n]); drain(); return err })
	}
	ceiling("SendMultipart of six parts", 0, func() error { err := a.SendMultipart(six); drain(); return err })
	ceiling("SendMore", 0, func() error {
		if err := a.Send(part, zmq.SendMore); err != nil {
			return err
		}
		err := a.Send(part)
		drain()
		return err
	})
	ceiling("RecvMessage and SendMessage", 0, func() error {
		if err := a.Send(part); err != nil {
			return err
		}
		if err := b.RecvMessage(&m); err != nil {
			return err
		}
		if err := b.SendMessage(&m); err != nil {
			return err
		}
		_, err := a.Recv(buf)
		return err
	})
	ceiling("RecvMultipartMessage", 0, func() error {
		if err := a.SendMultipart(parts); err != nil {
			return err
		}
		return b.RecvMultipartMessage(&views)
	})
	ceiling("RecvBytes", 1, func() error {
		if err := a.Send(part); err != nil {
			return err
		}
		_, err := b.RecvBytes()
		return err
	})
	ceiling("RecvMultipart", 2, func() error {
		if err := a.SendMultipart(parts); err != nil {
			return err
		}
		_, err := b.RecvMultipart()
		return err
	})
	batch := newBatch(t, 20)
	ceiling("Append, SendBatch and RecvBatch", 0, func() error {
		for i := range 20 {
			if err := batch.Append(parts[:1+i%4]...); err != nil {
				return err
			}
		}
		if _, err := a.SendBatch(batch); err != nil {
			return err
		}
		if _, err := b.RecvBatch(batch); err != nil {
			return err
		}
		for i := range batch.Len() {
			if len(batch.At(i)) != 1+i%4 {
				t.Error("a message was torn")
			}
		}
		if _, err := b.SendBatch(batch); err != nil {
			return err
		}
		_, err := a.RecvBatch(batch)
		batch.Reset()
		return err
	})
	require.NoError(t, b.Set(zmq.ReadAhead.To(20)))
	ceiling("Recv of what was read ahead", 0, func() error {
		for range 10 {
			if err := a.Send(part); err != nil {
				return err
			}
		}
		for range 10 {
			if _, err := b.Recv(buf); err != nil {
				return err
			}
		}
		return nil
	})
	ceiling("RecvMessage and RecvMultipartMessage of what was read ahead", 0, func() error {
		for range 10 {
			if err := a.SendMultipart(parts); err != nil {
				return err
			}
		}
		for range 5 {
			if err := b.RecvMultipartMessage(&views); err != nil {
				return err
			}
			for range parts {
				if err := b.RecvMessage(&m); err != nil {
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
	ceiling("NewMessageZeroCopy", 2, func() error { // the Message, and one of runtime.Pinner's
		lent, err := zmq.NewMessageZeroCopy(part, release)
		if err != nil {
			return err
		}
		if err := a.SendMessage(lent); err != nil {
			return err
		}
		if err := b.RecvMessage(&m); err != nil {
			return err
		}
		err = m.Close()
		<-released
		return err
	})
	ceiling("DontWait and nothing there", 0, func() error {
		if _, err := b.Recv(buf, zmq.DontWait); err == nil {
			t.Error("received something")
		}
		return nil
	})
	require.NoError(t, m.Close())
	require.NoError(t, views[:cap(views)].Close())
}

// Waiting allocates nothing either: each message finds its receiver parked.
func TestWaitingAllocatesNothing(t *testing.T) {
	a, b := pair(t, zmq.Dealer, zmq.Dealer, "tcp://127.0.0.1:*")
	go func() {
		buf := make([]byte, 8)
		for {
			n, err := b.Recv(buf)
			if err != nil {
				return
			}
			_ = b.Send(buf[:n])
		}
	}()
	buf := make([]byte, 8)
	got := testing.AllocsPerRun(2000, func() {
		if err := a.Send(buf); err != nil {
			t.Error(err)
		}
		if _, err := a.Recv(buf); err != nil {
			t.Error(err)
		}
	})
	require.Zero(t, got)
	require.NoError(t, b.Close())
}

// A batch that is filled up before it is ever empty does not grow for ever.
func TestBatchNeverEmptyStaysSmall(t *testing.T) {
	b := newBatch(t, 4)
	part := payload(1000)
	require.NoError(t, b.Append(part))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	native := residentBytes(t)
	for range 100000 {
		require.NoError(t, b.Append(part))
		require.Equal(t, 1, b.Skip(1))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(1<<20), "Go memory")
	require.Less(t, residentBytes(t)-native, int64(40<<20), "native memory")
	requireViews(t, [][]byte{part}, b.At(0))
}

// residentBytes returns how much memory the process occupies.
func residentBytes(t testing.TB) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("only Linux says how much memory the process occupies: ", err)
	}
	var total, resident int64
	_, err = fmt.Fscan(strings.NewReader(string(text)), &total, &resident)
	require.NoError(t, err)
	return resident * int64(os.Getpagesize())
}

// A part for which there is no memory is refused, and the batch stays as it was. Here,
// since the race detector does not let a slice be made that claims so much.
func TestBatchAppendBeyondMemory(t *testing.T) {
	a, s := pair(t, zmq.Dealer, zmq.Dealer, inprocName())
	b := newBatch(t, 4)
	require.NoError(t, b.Append([]byte("one")))
	var x byte
	huge := unsafe.Slice(&x, 1<<47) // more than there are addresses; never read
	require.ErrorIs(t, b.Append([]byte("id"), huge), syscall.ENOMEM)
	require.NotNil(t, b.At(0))
	require.ErrorIs(t, b.Append(huge), syscall.ENOMEM, "with slots, too")
	require.Equal(t, 1, b.Len())
	sent, err := a.SendBatch(b)
	require.NoError(t, err)
	require.Equal(t, 1, sent)
	got, err := s.RecvString()
	require.NoError(t, err)
	require.Equal(t, "one", got)
}
