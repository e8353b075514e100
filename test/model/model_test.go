package model

import (
	"context"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// modelLimit is for what comes within milliseconds; a fuzzer allows ten seconds in all.
const modelLimit = 8 * time.Second

// TestModel runs random sequences of calls beside a model that says what each call may return.
// Between PUSH and PULL, PAIR and PAIR, DEALER and ROUTER every accepted message arrives complete,
// in order, and once. Sockets of all types are also used in every other way. Those calls return
// nil or an error that fits the state.
func TestModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, playModel)
}

// FuzzModel is TestModel with the fuzzer's choices.
func FuzzModel(f *testing.F) {
	r := rand.New(rand.NewPCG(8, 8))
	for n := range 12 {
		// The zeros at the end end the play: who runs out of choices is no test.
		choices := make([]byte, 500+500*n+10_000)
		for i := range 500 + 500*n {
			choices[i] = byte(r.Uint32())
		}
		f.Add(choices)
	}
	f.Fuzz(rapid.MakeFuzz(playModel))
}

func playModel(t *rapid.T) {
	m := newModel(t)
	defer m.close()
	actions := []action{
		{"line", m.newLine},
		{"send", m.send},
		{"send again", m.send},
		{"send parts", m.sendParts},
		{"send batch", m.sendBatch},
		{"receive", m.receive},
		{"receive again", m.receive},
		{"receive part", m.receivePart},
		{"receive batch", m.receiveBatch},
		{"nothing", m.receiveNothing},
		{"option", m.option},
		{"close", m.closeOne},
		{"close waiting", m.closeWaiting},
		{"other socket", m.newOther},
		{"attach", m.attach},
		{"detach", m.detach},
		{"other send", m.otherSend},
		{"other receive", m.otherReceive},
		{"use after end", m.useAfterEnd},
		{"monitor", m.monitor},
	}
	t.Repeat(map[string]func(*rapid.T){"act": func(t *rapid.T) { act(t, actions) }})
	m.finish(t)
}

type action struct {
	name string
	do   func(*rapid.T)
}

// act does one of the actions, or the next that makes sense now: there always is one, so
// that every choice of a fuzzer is a play.
func act(t *rapid.T, actions []action) {
	first := rapid.IntRange(0, len(actions)-1).Draw(t, "action")
	for i := range actions {
		a := actions[(first+i)%len(actions)]
		if makesSense(t, a.do) {
			t.Log(a.name)
			return
		}
	}
}

// notNow ends an action that makes no sense now.
type notNow struct{ why string }

func makesSense(t *rapid.T, do func(*rapid.T)) (did bool) {
	defer func() {
		if reason := recover(); reason != nil {
			if _, ok := reason.(notNow); !ok {
				panic(reason)
			}
			did = false
		}
	}()
	do(t)
	return true
}

// A node is a socket, and what is known of it.
type node struct {
	s      *zmq.Socket
	closed bool
	parts  [][]byte // collected by SendMore
	rest   [][]byte // of the message that is being received part by part
	out    *line    // destination of its messages; nil: the other end does not know it yet
	in     *line
	id     []byte // ROUTER: its peer's
}

// A line is one direction between two sockets.
type line struct {
	queue [][][]byte // accepted, and not received yet
	cut   bool       // its sender was closed: of the rest, only a beginning may come
}

type model struct {
	c         *zmq.Context
	ctx       context.Context
	stop      context.CancelFunc
	lined     []*node // one after the other those that are connected
	others    []*node
	endpoints []string
	seed      uint32
}

const (
	mostLined  = 12
	mostOthers = 8
	mostWaits  = 40 // messages in a line
)

func newModel(t *rapid.T) *model {
	zctx := noErr(zmq.NewContext())(t)
	ctx, stop := context.WithTimeout(context.Background(), modelLimit)
	return &model{c: zctx, ctx: ctx, stop: stop}
}

// close also works for a model that failed.
func (m *model) close() {
	m.stop()
	ctx, cancel := context.WithTimeout(context.Background(), modelLimit)
	defer cancel()
	_ = m.c.CloseContext(ctx)
}

// endpoint chooses where to bind. Of the others some share what is there.
func modelEndpoint(t *rapid.T) string {
	switch rapid.IntRange(0, 2).Draw(t, "transport") {
	case 0:
		return zmqtest.InprocName()
	case 1:
		if zmq.Has("ipc") {
			return "ipc://*"
		}
	}
	return "tcp://127.0.0.1:*"
}

// newLine makes two sockets that are connected.
func (m *model) newLine(t *rapid.T) {
	if len(m.lined) >= mostLined {
		panic(notNow{"enough"})
	}
	types := rapid.SampledFrom([][2]zmq.SocketType{
		{zmq.Push, zmq.Pull}, {zmq.Pair, zmq.Pair}, {zmq.Dealer, zmq.Router}, {zmq.Dealer, zmq.Dealer},
	}).Draw(t, "types")
	hwm := rapid.SampledFrom([]int{0, 2, 1000}).Draw(t, "HWM")
	var ends [2]*node
	for i, typ := range types {
		settings := []zmq.Setting{
			zmq.SendHWM.To(hwm), zmq.RecvHWM.To(hwm), zmq.Linger.To(rapid.SampledFrom([]time.Duration{0, time.Second}).Draw(t, "Linger")),
			zmq.SendTimeout.To(modelLimit), zmq.RecvTimeout.To(modelLimit),
		}
		if typ != zmq.Push {
			settings = append(settings, zmq.ReadAhead.To(rapid.SampledFrom([]int{0, 0, 1, 5, 100}).Draw(t, "ReadAhead")))
		}
		ends[i] = &node{}
		if typ == zmq.Router {
			ends[i].id = []byte("dealer")
			settings = append(settings, zmq.RouterMandatory.To(true))
			require.NoError(t, ends[0].s.Set(zmq.RoutingID.To(ends[i].id)))
		}
		var err error
		ends[i].s, err = m.c.NewSocket(typ, settings...)
		require.NoError(t, err)
	}
	there, back := &line{}, &line{}
	ends[0].out, ends[1].in = there, there
	switch types[1] {
	case zmq.Pull:
	case zmq.Router:
		ends[0].in = back // the ROUTER does not know it before it has received something
	default:
		ends[0].in, ends[1].out = back, back
	}
	binds := rapid.IntRange(0, 1).Draw(t, "binds")
	b, c := ends[binds].s, ends[1-binds].s
	require.NoError(t, b.Bind(modelEndpoint(t)))
	at := noErr(b.LastEndpoint())(t)
	require.NoError(t, c.Connect(at))
	m.lined = append(m.lined, ends[:]...)
}

// peerOf returns the other end.
func (m *model) peerOf(n *node) *node {
	for i, other := range m.lined {
		if other == n {
			return m.lined[i^1]
		}
	}
	panic("not of a line")
}

// one chooses a node that fits.
func one(t *rapid.T, nodes []*node, fits func(*node) bool) *node {
	var all []*node
	for _, n := range nodes {
		if fits(n) {
			all = append(all, n)
		}
	}
	if len(all) == 0 {
		panic(notNow{"there is none"})
	}
	return rapid.SampledFrom(all).Draw(t, "node")
}

func (m *model) option(t *rapid.T) {
	n := one(t, append(append([]*node{}, m.lined...), m.others...), func(n *node) bool { return !n.closed })
	number := rapid.IntRange(-1, 5).Draw(t, "value")
	var err error
	switch rapid.IntRange(0, 6).Draw(t, "option") {
	case 0:
		err = n.s.Set(zmq.ReadAhead.To(number))
	case 1:
		err = n.s.Set(zmq.Linger.To(time.Duration(max(number, 0))))
	case 2:
		err = n.s.Set(zmq.MaxMessageSize.To(1 << 20))
	case 3:
		err = n.s.Set(zmq.SendHWM.To(number))
		if n.out != nil || n.in != nil {
			require.ErrorIs(t, err, syscall.EINVAL, "it is connected")
		}
	case 4:
		err = n.s.Set(zmq.ReconnectInterval.To(time.Duration(number) * time.Millisecond))
	case 5:
		require.NoError(t, errOf(zmq.Events.Get(n.s)))
	case 6:
		require.Equal(t, n.s.RecvMore(), noErr(zmq.RecvMore.Get(n.s))(t))
	}
	m.allow(t, err, syscall.EINVAL, zmq.ErrNotSupported)
}

// allow makes sure that an error is none, or an *Error of those.
func (m *model) allow(t *rapid.T, err error, allowed ...error) {
	if err == nil {
		return
	}
	require.IsType(t, (*zmq.Error)(nil), err)
	for _, a := range allowed {
		if err.(*zmq.Error).Is(a) {
			return
		}
	}
	require.Fail(t, "not allowed here", "%v; allowed are %v", err, allowed)
}

// closeOne closes any socket, possibly in the middle of a message.
func (m *model) closeOne(t *rapid.T) {
	n := one(t, append(append([]*node{}, m.lined...), m.others...), func(*node) bool { return true })
	more := n.s.RecvMore()
	require.NoError(t, n.s.Close())
	require.Equal(t, more, n.s.RecvMore(), "a message that is cut off does not look complete")
	n.gone()
}

// gone notes that a socket was closed.
func (n *node) gone() {
	n.closed = true
	if n.out != nil {
		n.out.cut = true
	}
}

// closeWaiting closes a socket while a call waits on it.
func (m *model) closeWaiting(t *rapid.T) {
	n := one(t, m.lined, func(n *node) bool { return !n.closed && n.in != nil && len(n.in.queue) == 0 && len(n.rest) == 0 })
	calls := []func() error{
		func() error { _, err := n.s.RecvBytes(context.Background()); return err },
		func() error { _, err := n.s.RecvMultipart(m.ctx); return err },
		func() error { return n.s.RecvMessage(context.Background(), new(zmq.Message)) },
	}
	waiting := rapid.IntRange(1, 3).Draw(t, "waiting")
	ended := make(chan error, waiting)
	for i := range waiting {
		go func() { ended <- calls[i]() }()
	}
	time.Sleep(time.Duration(rapid.IntRange(0, 300).Draw(t, "µs")) * time.Microsecond)
	require.NoError(t, n.s.Close())
	n.gone()
	for range waiting {
		select {
		case err := <-ended:
			require.ErrorIs(t, err, zmq.ErrClosed)
		case <-m.ctx.Done():
			require.Fail(t, "a receiver still waits on a closed socket")
		}
	}
}

// useAfterEnd calls what cannot be any more.
func (m *model) useAfterEnd(t *rapid.T) {
	n := one(t, append(append([]*node{}, m.lined...), m.others...), func(n *node) bool { return n.closed })
	useEnded(t, n.s, zmq.ErrClosed)
}

func useEnded(t *rapid.T, s *zmq.Socket, want error) {
	for i, call := range zmqtest.SocketCalls {
		require.ErrorIs(t, call(s), want, "call %d", i)
	}
	require.False(t, s.RecvMore())
}

// monitor makes a monitor of any socket and gives it up, now or with the socket.
func (m *model) monitor(t *rapid.T) {
	n := one(t, append(append([]*node{}, m.lined...), m.others...), func(*node) bool { return true })
	mon, err := n.s.Monitor(zmq.EventAll)
	if n.closed {
		require.ErrorIs(t, err, zmq.ErrClosed)
		return
	}
	require.NoError(t, err)
	if rapid.Bool().Draw(t, "now") {
		require.NoError(t, mon.Close())
	}
}

// finish receives what is on its way, and ends the context in one of the ways that there
// are.
func (m *model) finish(t *rapid.T) {
	for _, n := range m.lined {
		if n.closed || n.in == nil || n.in.cut || m.peerOf(n).closed {
			continue
		}
		n.s.DiscardParts()
		for len(n.rest) > 0 || len(n.in.queue) > 0 {
			m.receiveWhole(t, n, true)
		}
		require.ErrorIs(t, errOf(n.s.RecvBytes(context.Background(), zmq.DontWait)), zmq.ErrAgain, "nothing comes twice")
	}
	all := append(append([]*node{}, m.lined...), m.others...)
	if rapid.Bool().Draw(t, "shut down") {
		require.NoError(t, m.c.Shutdown())
		for _, n := range all {
			if n.closed {
				useEnded(t, n.s, zmq.ErrClosed)
				continue
			}
			useEnded(t, n.s, zmq.ErrTerminated)
		}
	}
	m.dropLinger(all)
	require.NoError(t, m.c.CloseContext(m.ctx), "it has linger periods of a second at most")
	for _, n := range all {
		useEnded(t, n.s, zmq.ErrClosed)
	}
	require.Zero(t, core.Rescues(), "the watchdog found a forgotten waiter")
}

// dropLinger keeps a run short; what would linger is not looked at any more.
func (m *model) dropLinger(all []*node) {
	for _, n := range all {
		_ = n.s.Set(zmq.Linger.To(0)) // closed, or shut down
	}
}

// content makes what no other message has.
func (m *model) content(t *rapid.T) []byte {
	m.seed++
	size := rapid.SampledFrom([]int{0, 1, 20, 33, 200, 9000}).Draw(t, "size")
	if size == 0 {
		return []byte{}
	}
	p := make([]byte, max(size, len(fmt.Sprint(m.seed))))
	copy(p, fmt.Sprint(m.seed))
	return p
}
