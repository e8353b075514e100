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

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
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
	used := func(err error, at string) {
		t.Helper()
		requireReport(t, r.take(), "was used at", at+",", put+"\n")
		require.ErrorContains(t, err, put)
	}
	used(a.SendMessage(context.Background(), m), here(0))
	used(a.RecvMessage(context.Background(), m), here(0))
	_, err = m.Clone()
	used(err, here(1))
	used(m.Alloc(5), here(0))
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
		putAll(p, hold(t, p, size, 300))                    // one of them has the same memory
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

// Correct use is not reported.
func TestDebugLegalUse(t *testing.T) {
	_, r := debugPool(t)
	zctx := newContext(t)
	for _, endpoint := range []func() string{inprocName, func() string { return tcp }} {
		rapid.Check(t, func(rt *rapid.T) {
			m := newModel(rt, t, zctx, zmq.Dealer, endpoint())
			defer m.close()
			m.legal = true
			actions := m.actions()
			delete(actions, "misuse")
			rt.Repeat(actions)
			m.finish()
		})
	}
	require.Empty(t, r.take())
}
