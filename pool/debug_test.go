package pool_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil"
	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/zmq"
)

// debugPool returns a pool in debug mode and its reports.
func debugPool(t *testing.T) (*pool.Pool, *reports) {
	t.Helper()
	t.Setenv(zmq.DebugVariable, "other,pool")
	r := &reports{}
	t.Cleanup(pool.SetDebugOutput(r))
	return newPool(t, pool.Config{}), r
}

type reports struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (r *reports) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buf.Write(p)
}

// take returns the reports since the last call.
func (r *reports) take() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.buf.Reset()
	return r.buf.String()
}

// here returns the line above which it is called by as many lines as back says.
func here(back int) string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", filepath.Base(file), line-back)
}

// requireReport requires one report that has all the words.
func requireReport(t *testing.T, said string, words ...string) {
	t.Helper()
	require.Equal(t, 1, strings.Count(said, "\n"), said)
	require.True(t, strings.HasPrefix(said, "zmq/pool: "), said)
	for _, w := range words {
		require.Contains(t, said, w)
	}
}

func TestDebugPutTwice(t *testing.T) {
	p, r := debugPool(t)
	m, err := p.Get(100)
	require.NoError(t, err)
	p.Put(m)
	first := here(1)
	p.Put(m)
	requireReport(t, r.take(), "put twice", first+" ", here(1)+"\n")
	require.Equal(t, int64(1), p.Stats().Refused)
	requireSound(t, p, 100)
	require.Empty(t, r.take())
}

func TestDebugUseAfterPut(t *testing.T) {
	p, r := debugPool(t)
	a, _ := pair(t, zmq.Dealer, zmq.Dealer, inprocName())
	m, err := p.Get(100)
	require.NoError(t, err)
	p.Put(m)
	put := here(1)
	err = a.SendMessage(context.Background(), m)
	requireReport(t, r.take(), "was used at", here(1)+",", put+"\n")
	require.ErrorContains(t, err, put)
	err = a.RecvMessage(context.Background(), m)
	requireReport(t, r.take(), "was used at", here(1)+",", put+"\n")
	require.ErrorContains(t, err, put)
	_, err = m.Clone()
	requireReport(t, r.take(), "was used at", here(1)+",", put+"\n")
	require.ErrorContains(t, err, put)
	err = m.Alloc(5)
	requireReport(t, r.take(), "was used at", here(1)+",", put+"\n")
	require.ErrorContains(t, err, put)
}

func TestDebugWriteAfterPut(t *testing.T) {
	for _, size := range []int{64, 1500, 65536} {
		p, r := debugPool(t)
		m, err := p.Get(size)
		got := here(1)
		require.NoError(t, err)
		view := m.Bytes()
		p.Put(m)
		put := here(1)
		view[size-1] = 0
		var held []*zmq.Message
		for range 300 { // one of them has the same memory
			m, err := p.Get(size)
			require.NoError(t, err)
			held = append(held, m)
		}
		for _, m := range held {
			p.Put(m)
		}
		if said := r.take(); said != "" || !testutil.Race { // with it, sync.Pool forgets on purpose
			requireReport(t, said, "was written to after it had returned", got+" ", put+")")
		}
	}
}

func TestDebugWriteAfterSend(t *testing.T) {
	p, r := debugPool(t)
	a, b := pair(t, zmq.Dealer, zmq.Dealer, inprocName())
	const size = 65536
	for _, flags := range [][]zmq.Flag{nil, {zmq.SendMore}} {
		m, err := p.GetBytes(pattern(size, 1))
		got := here(1)
		require.NoError(t, err)
		view := m.Bytes()
		require.NoError(t, a.SendMessage(context.Background(), m, flags...))
		view[1000]++
		p.Put(m)
		if flags != nil {
			require.NoError(t, a.SendString(context.Background(), "the end"))
		}
		zmqtest.RecvParts(t, b)
		_, err = b.RecvBytes(context.Background(), zmq.DontWait) // releases what the last call received
		require.ErrorIs(t, err, zmq.ErrAgain)
		requireOutstanding(t, p, 0)
		requireReport(t, r.take(), "was written to after it was sent", got+" ")
	}
}

func TestDebugForeignPut(t *testing.T) {
	p, r := debugPool(t)
	m, err := zmq.NewMessage(10)
	require.NoError(t, err)
	p.Put(m)
	requireReport(t, r.take(), "belongs to no pool", here(1)+"\n")

	other := newPool(t, pool.Config{})
	m, err = other.Get(10)
	got := here(1)
	require.NoError(t, err)
	p.Put(m)
	requireReport(t, r.take(), "another pool", got+",", here(1)+"\n")
	other.Put(m)

	other.Put(m)
	r.take()
	p.Put(m)
	requireReport(t, r.take(), "another pool", got+",", here(1)+"\n")
	require.Empty(t, r.take())
}

func TestDebugConcurrentMisuse(t *testing.T) {
	p, r := debugPool(t)
	a, _ := pair(t, zmq.Dealer, zmq.Dealer, inprocName())
	for range 50 {
		m := get(t, p, 100)
		together(4, func(int) { p.Put(m) })
		require.Error(t, a.SendMessage(context.Background(), m))
		f, err := zmq.NewMessage(100)
		require.NoError(t, err)
		together(4, func(int) { p.Put(f) })
	}
	require.Equal(t, 50*(3+1+4), strings.Count(r.take(), "\n"))
}

// Correct use is not reported.
func TestDebugLegalUse(t *testing.T) {
	p, r := debugPool(t)
	for _, endpoint := range []string{inprocName(), tcp} {
		a, b := pair(t, zmq.Dealer, zmq.Dealer, endpoint)
		lonely := newSocket(t, newContext(t), zmq.Push)
		require.NoError(t, lonely.Bind(tcp))
		for i := range 30 {
			for _, size := range sizes {
				m := filled(t, p, size, uint32(i))
				// After a failed send the message still belongs to its owner and may be
				// changed.
				require.ErrorIs(t, lonely.SendMessage(context.Background(), m, zmq.DontWait), zmq.ErrAgain)
				copy(m.Bytes(), pattern(size, 100))
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Microsecond)
				require.Error(t, lonely.SendMessage(ctx, m))
				cancel()
				copy(m.Bytes(), pattern(size, 101))
				require.NoError(t, a.SendMessage(context.Background(), m, zmq.SendMore))
				p.Put(m)

				c := filled(t, p, size, uint32(i))
				d, err := c.Clone()
				require.NoError(t, err)
				require.NoError(t, a.SendMessage(context.Background(), c, zmq.SendMore))
				require.NoError(t, a.SendMessage(context.Background(), d))
				p.Put(c)

				unsent := filled(t, p, size, uint32(i))
				closed := filled(t, p, size, uint32(i))
				p.Put(unsent)
				require.NoError(t, closed.Close())
				p.Put(closed)

				require.Equal(t, [][]byte{pattern(size, 101), pattern(size, uint32(i)), pattern(size, uint32(i))}, zmqtest.RecvParts(t, b))

				// Forwarded.
				m = filled(t, p, size, uint32(i))
				require.NoError(t, b.SendMessage(context.Background(), m))
				p.Put(m)
				into := get(t, p, size)
				require.NoError(t, a.RecvMessage(context.Background(), into))
				require.NoError(t, a.SendMessage(context.Background(), into))
				p.Put(into)
				require.Equal(t, pattern(size, uint32(i)), zmqtest.RecvBytes(t, b))
			}
			if i%10 == 0 {
				runtime.GC()
				p.Trim()
			}
		}
		require.NoError(t, a.Close())
		require.NoError(t, b.Close())
	}
	requireReturned(t, p)
	require.NoError(t, p.Close())
	require.Empty(t, r.take())
}
