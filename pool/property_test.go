package pool_test

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/zmq"
)

// After random operations in random order, messages arrive whole, unchanged and in order.
// Each release function is called once, and at the end no memory is missing.
func TestAnyInterleaving(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		typ      zmq.SocketType
		endpoint func() string
	}{
		{"inproc pair", zmq.Pair, inprocName},
		{"inproc dealer", zmq.Dealer, inprocName},
		{"tcp pair", zmq.Pair, func() string { return tcp }},
		{"tcp dealer", zmq.Dealer, func() string { return tcp }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			zctx := newContext(t)
			rapid.Check(t, func(rt *rapid.T) {
				m := newModel(rt, t, zctx, c.typ, c.endpoint())
				defer m.close()
				rt.Repeat(m.actions())
				m.finish()
			})
		})
	}
}

// A held is a message and the content that it must have.
type held struct {
	m      *zmq.Message
	want   []byte
	pooled bool // lent by the pool: to be put
	shared bool // with a clone, or with a sender: not to be written
}

// An end is one socket and the messages that the other one will receive from it.
type end struct {
	s      *zmq.Socket
	parts  [][]byte   // collected by SendMore
	failed bool       // a last part was not sent: SendMore begins a new message
	queued [][][]byte // messages in flight to the other end
}

type model struct {
	t    *rapid.T
	ctx  context.Context
	stop context.CancelFunc
	p    *pool.Pool
	ends [2]*end
	held []*held
	seed uint32

	legal    bool // it puts only messages of the pool
	releases []*atomic.Int64
}

const modelMaxSize = 32 << 10

var modelSizes = []int{0, 1, 29, 30, 33, 64, 65, 1500, pool.CopyBelow - 1, pool.CopyBelow, modelMaxSize, modelMaxSize + 1}

func newModel(t *rapid.T, tb testing.TB, zctx *zmq.Context, typ zmq.SocketType, endpoint string) *model {
	ctx, stop := context.WithTimeout(context.Background(), patience)
	m := &model{t: t, ctx: ctx, stop: stop, p: pool.New(pool.Config{
		MaxSize:      modelMaxSize,
		MaxIdleBytes: rapid.SampledFrom([]int64{0, 1, 100_000}).Draw(t, "MaxIdleBytes"),
	})}
	for i := range m.ends {
		m.ends[i] = &end{s: newSocket(tb, zctx, typ, zmq.ReadAhead.To(rapid.SampledFrom([]int{0, 5}).Draw(t, "ReadAhead")))}
	}
	connect(tb, m.ends[0].s, m.ends[1].s, endpoint)
	return m
}

// close also cleans up after a model that failed.
func (m *model) close() {
	m.stop()
	for _, e := range m.ends {
		_ = e.s.Close()
	}
	for _, h := range m.held {
		_ = h.m.Close()
	}
	_ = m.p.Close()
}

func (m *model) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"Get":           m.get,
		"GetBytes":      m.getBytes,
		"zero-copy":     m.zeroCopy,
		"fill":          m.fill,
		"Send":          func(t *rapid.T) { m.send(t) },
		"SendMore":      func(t *rapid.T) { m.send(t, zmq.SendMore) },
		"send bytes":    m.sendBytes,
		"DiscardParts":  func(t *rapid.T) { m.discardOf(t, m.ends[rapid.IntRange(0, 1).Draw(t, "end")]) },
		"Clone":         m.clone,
		"Close":         m.closeOne,
		"Put":           m.put,
		"RecvMessage":   m.receive,
		"RecvMultipart": m.receiveBytes,
		"forward":       m.forward,
		"failing send":  m.failingSend,
		"misuse":        m.misuse,
		"Trim":          func(*rapid.T) { m.p.Trim() },
		"Prewarm":       func(t *rapid.T) { _ = m.p.Prewarm(m.size(t), 3) },
		"GC":            func(*rapid.T) { runtime.GC() },
		"":              m.check,
	}
}

func (m *model) size(t *rapid.T) int { return rapid.SampledFrom(modelSizes).Draw(t, "size") }
func (m *model) next() uint32 {
	m.seed++
	return m.seed
}

func (m *model) end(t *rapid.T) (from, to *end) {
	i := rapid.IntRange(0, 1).Draw(t, "end")
	return m.ends[i], m.ends[1-i]
}

// one chooses a held message.
func (m *model) one(t *rapid.T) (h *held, i int) {
	if len(m.held) == 0 {
		t.Skip("none is held")
	}
	i = rapid.IntRange(0, len(m.held)-1).Draw(t, "which")
	return m.held[i], i
}

func (m *model) drop(i int) { m.held = append(m.held[:i], m.held[i+1:]...) }

// check compares every held message with its expected content.
func (m *model) check(t *rapid.T) {
	for _, h := range m.held {
		require.Equal(t, h.want, append([]byte{}, h.m.Bytes()...))
	}
	s := m.p.Stats()
	require.GreaterOrEqual(t, s.Outstanding, int64(0))
	require.GreaterOrEqual(t, s.IdleBytes, int64(0))
	for i, r := range m.releases {
		require.LessOrEqual(t, r.Load(), int64(1), "release %d", i)
	}
}

func (m *model) get(t *rapid.T) {
	size := m.size(t)
	h := &held{m: get(t, m.p, size), want: pattern(size, m.next()), pooled: true}
	copy(h.m.Bytes(), h.want)
	m.held = append(m.held, h)
}

func (m *model) getBytes(t *rapid.T) {
	size := m.size(t)
	seed := m.next()
	m.held = append(m.held, &held{m: filled(t, m.p, size, seed), want: pattern(size, seed), pooled: true})
}

func (m *model) zeroCopy(t *rapid.T) {
	size := m.size(t)
	var released atomic.Int64
	x, err := zmq.NewMessageZeroCopy(pattern(size, m.next()), func() { released.Add(1) })
	require.NoError(t, err)
	m.releases = append(m.releases, &released)
	m.held = append(m.held, &held{m: x, want: append([]byte{}, x.Bytes()...)})
}

func (m *model) fill(t *rapid.T) {
	h, _ := m.one(t)
	if h.shared {
		t.Skip("shared")
	}
	h.want = pattern(len(h.want), m.next())
	copy(h.m.Bytes(), h.want)
}

const mostQueued = 50

// sent records a sent message in the model.
func (e *end) sent(want []byte, more bool) {
	if e.failed && more {
		e.parts = nil
	}
	e.failed = false
	e.parts = append(e.parts, want)
	if !more {
		e.queued = append(e.queued, e.parts)
		e.parts = nil
	}
}

func (m *model) send(t *rapid.T, flags ...zmq.Flag) {
	from, _ := m.end(t)
	if len(from.queued) >= mostQueued {
		t.Skip("enough is queued")
	}
	h, i := m.one(t)
	require.NoError(t, from.s.SendMessage(m.ctx, h.m, flags...))
	require.Zero(t, h.m.Len())
	from.sent(h.want, len(flags) > 0)
	m.drop(i)
	if h.pooled {
		m.p.Put(h.m)
	}
}

func (m *model) sendBytes(t *rapid.T) {
	from, _ := m.end(t)
	if len(from.queued) >= mostQueued {
		t.Skip("enough is queued")
	}
	want := pattern(m.size(t), m.next())
	require.NoError(t, from.s.Send(m.ctx, want))
	from.sent(want, false)
}

func (m *model) discardOf(t *rapid.T, e *end) {
	require.Equal(t, len(e.parts), e.s.DiscardParts())
	e.parts, e.failed = nil, false
}

func (m *model) clone(t *rapid.T) {
	h, _ := m.one(t)
	c, err := h.m.Clone()
	require.NoError(t, err)
	h.shared = true
	m.held = append(m.held, &held{m: c, want: h.want, shared: true})
}

func (m *model) closeOne(t *rapid.T) {
	h, i := m.one(t)
	require.NoError(t, h.m.Close())
	m.drop(i)
	if h.pooled && rapid.Bool().Draw(t, "put, too") {
		m.p.Put(h.m)
	}
}

func (m *model) put(t *rapid.T) {
	h, i := m.one(t)
	m.drop(i)
	m.letGo(h)
}

// letGo puts a message. Put releases the content of one that is not the pool's.
func (m *model) letGo(h *held) {
	if m.legal && !h.pooled {
		require.NoError(m.t, h.m.Close())
		return
	}
	m.p.Put(h.m)
	if !m.legal {
		require.Empty(m.t, h.m.Bytes())
	}
}

// into returns a message to receive into: a new one, one of the pool, or one with
// content.
func (m *model) into(t *rapid.T) *held {
	switch rapid.IntRange(0, 2).Draw(t, "into") {
	case 0:
		return &held{m: new(zmq.Message)}
	case 1:
		return &held{m: get(t, m.p, m.size(t)), pooled: true}
	}
	h, i := m.one(t)
	m.drop(i)
	return h
}

func (m *model) receive(t *rapid.T) {
	to, from := m.end(t)
	if len(from.queued) == 0 {
		t.Skip("nothing is on its way")
	}
	for i, want := range from.queued[0] {
		h := m.into(t)
		h.want, h.shared = want, true // over inproc it is the sender's, and may be cloned
		require.NoError(t, to.s.RecvMessage(m.ctx, h.m))
		require.Equal(t, want, append([]byte{}, h.m.Bytes()...))
		require.Equal(t, i < len(from.queued[0])-1, h.m.More())
		m.held = append(m.held, h)
	}
	from.queued = from.queued[1:]
}

func (m *model) receiveBytes(t *rapid.T) {
	to, from := m.end(t)
	if len(from.queued) == 0 {
		t.Skip("nothing is on its way")
	}
	m.receiveParts(to, from)
}

func (m *model) receiveParts(to, from *end) {
	got, err := to.s.RecvMultipart(m.ctx)
	require.NoError(m.t, err)
	require.Equal(m.t, from.queued[0], got)
	from.queued = from.queued[1:]
}

// forward sends received messages back unchanged. While parts are pending there, that
// fails and changes nothing.
func (m *model) forward(t *rapid.T) {
	to, from := m.end(t)
	if len(from.queued) == 0 || len(to.queued) >= mostQueued {
		t.Skip("nothing to forward")
	}
	var parts zmq.Multipart
	require.NoError(t, to.s.RecvMultipartMessage(m.ctx, &parts))
	require.Equal(t, from.queued[0], parts.Bytes())
	if len(to.parts) > 0 {
		require.ErrorIs(t, to.s.SendMultipartMessage(m.ctx, parts), zmq.ErrState)
		require.Equal(t, from.queued[0], parts.Bytes())
		m.discardOf(t, to)
	}
	require.NoError(t, to.s.SendMultipartMessage(m.ctx, parts))
	to.queued = append(to.queued, from.queued[0])
	from.queued = from.queued[1:]
	require.NoError(t, parts[:cap(parts)].Close())
}

// failingSend sends with a context that is already done.
func (m *model) failingSend(t *rapid.T) {
	from, _ := m.end(t)
	h, _ := m.one(t)
	ctx, cancel := context.WithCancel(m.ctx)
	cancel()
	require.ErrorIs(t, from.s.SendMessage(ctx, h.m), context.Canceled)
	from.failed = len(from.parts) > 0
}

// misuse puts a message a second time and sends a message that is in the pool. Both are refused.
func (m *model) misuse(t *rapid.T) {
	from, _ := m.end(t)
	x := get(t, m.p, m.size(t))
	m.p.Put(x)
	refused := m.p.Stats().Refused
	m.p.Put(x)
	require.Equal(t, refused+1, m.p.Stats().Refused)
	require.Error(t, from.s.SendMessage(context.Background(), x))
	from.failed = len(from.parts) > 0
	require.NoError(t, x.Close())
}

// finish receives the remaining messages, puts the held ones, and checks the counts.
func (m *model) finish() {
	t := m.t
	for i, from := range m.ends {
		from.s.DiscardParts()
		for len(from.queued) > 0 {
			m.receiveParts(m.ends[1-i], from)
		}
	}
	for _, h := range m.held {
		require.Equal(t, h.want, append([]byte{}, h.m.Bytes()...))
		m.letGo(h)
	}
	m.held = nil
	for _, e := range m.ends {
		require.NoError(t, e.s.Close())
	}
	settled := func() string {
		if s := m.p.Stats(); s.Outstanding != 0 {
			return fmt.Sprintf("outstanding: %+v", s)
		}
		for i, r := range m.releases {
			if n := r.Load(); n != 1 {
				return fmt.Sprintf("release %d of %d was called %d times", i, len(m.releases), n)
			}
		}
		return ""
	}
	for settled() != "" && m.ctx.Err() == nil {
		time.Sleep(100 * time.Microsecond)
	}
	require.Empty(t, settled())
	m.p.Trim()
	s := m.p.Stats()
	require.Zero(t, s.IdleBytes)
	require.Zero(t, s.IdleBuffers)
	require.Zero(t, s.OutstandingBytes)
}
