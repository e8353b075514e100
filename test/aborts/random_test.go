//go:build unix

package aborts

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

const (
	randomVariable = "GOZMQ_TEST_RANDOM" // how long TestRandomCalls runs, such as 10m
	seedVariable   = "GOZMQ_TEST_SEED"   // makes the same worlds and draws the same calls again

	randomShort   = 8 * time.Second // without the variable
	randomWorlds  = 4               // at once
	randomCallers = 4               // goroutines of each world
	randomCalls   = 200             // of each goroutine
)

// No sequence of calls ends the process or damages a message, whatever the types and
// options of the sockets. 16 goroutines call at random, in a process of its own.
func TestRandomCalls(t *testing.T) {
	period := randomShort
	if text := os.Getenv(randomVariable); text != "" {
		var err error
		period, err = time.ParseDuration(text)
		require.NoError(t, err)
	}
	if os.Getenv(childVariable) != "" {
		callAtRandom(t, period)
		return
	}
	// libzmq itself loses messages to STREAM peers that leave between routing id and data,
	// which the leak detector of AddressSanitizer rightly reports.
	runChild(t, t.Name(), "random calls", period+childLimit, "ASAN_OPTIONS="+os.Getenv("ASAN_OPTIONS")+":detect_leaks=0:allocator_may_return_null=1")
}

func callAtRandom(t *testing.T, period time.Duration) {
	t.Chdir(t.TempDir()) // libzmq leaves the path of an ipc socket that is bound again
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv(seedVariable); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
	}
	fmt.Fprintf(os.Stderr, "%s=%d\n", seedVariable, seed)
	pairs := randomPairs(rand.New(rand.NewPCG(seed, 0)))
	end := time.Now().Add(period)
	var next atomic.Int64
	var running sync.WaitGroup
	for range randomWorlds {
		running.Go(func() {
			for time.Now().Before(end) && !t.Failed() {
				i := next.Add(1)
				newWorld(t, rand.New(rand.NewPCG(seed, uint64(i))), pairs[int(i)%len(pairs)]).run()
			}
		})
	}
	running.Wait()
	fmt.Fprintf(os.Stderr, "%d worlds of %d pairs\n", next.Load(), len(pairs))
}

// A worldPair is what most sockets of a world are, and how they are connected.
type worldPair struct {
	binds, connects zmq.SocketType
	transport       string
}

// randomPairs returns all pairs of types over all transports, in a random order: inproc
// connects any type with any other.
func randomPairs(r *rand.Rand) []worldPair {
	last := zmq.Stream
	if zmq.Has("draft") {
		last = zmq.Channel
	}
	var pairs []worldPair
	for binds := zmq.Pair; binds <= last; binds++ {
		for connects := zmq.Pair; connects <= last; connects++ {
			pairs = append(pairs, worldPair{binds, connects, "inproc"}, worldPair{binds, connects, "inproc"})
			if raw(binds) == raw(connects) {
				pairs = append(pairs, worldPair{binds, connects, "tcp"}, worldPair{binds, connects, "ipc"})
			}
		}
	}
	r.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	return pairs
}

// raw reports whether a type sends bytes without ZMTP. Over a network libzmq can take them
// for a peer of ZMTP 1.0, with which it aborts: see "What remains" in docs/safety.md.
func raw(typ zmq.SocketType) bool { return typ == zmq.Stream }

// A world is a context with sockets that random calls are made on: two that bind, three
// that connect to both of these, and one of any type that connects to one. The last two
// are connected to each other, for the copies of proxies.
type world struct {
	t *testing.T
	worldPair
	other     zmq.SocketType
	seed      uint64
	context   *zmq.Context
	endpoints [3]string
	single    bool // messages have one part
	shutdown  bool // the context is shut down or closed in the midst of the calls

	mu      sync.Mutex
	sockets [8]*zmq.Socket
}

const (
	worldBinds  = 2 // how many sockets bind
	worldOther  = 5
	worldCopies = 6 // sends copies to the next socket
)

func newWorld(t *testing.T, r *rand.Rand, pair worldPair) *world {
	w := &world{t: t, worldPair: pair, seed: r.Uint64(), other: zmq.SocketType(r.IntN(int(zmq.Stream) + 1)), single: r.IntN(2) == 0, shutdown: r.IntN(8) == 0}
	if w.transport != "inproc" && raw(w.other) != raw(w.binds) {
		w.other = w.connects
	}
	var err error
	w.context, err = zmq.NewContext()
	if err != nil {
		t.Error(err)
		return w
	}
	for i := range w.endpoints {
		switch {
		case pair.transport == "inproc" || i == len(w.endpoints)-1:
			w.endpoints[i] = zmqtest.InprocName()
		case pair.transport == "tcp":
			w.endpoints[i] = "tcp://127.0.0.1:*"
		default:
			w.endpoints[i] = "ipc://*"
		}
	}
	for i := range w.sockets {
		w.replace(r, i)
	}
	return w
}

// cuts reports whether a connection can end between two parts of a message. Then libzmq
// can lose the parts, and over a network abort: see "What remains" in docs/safety.md.
func (w *world) cuts() bool {
	for _, typ := range []zmq.SocketType{w.binds, w.connects, w.other} {
		switch typ {
		case zmq.Req, zmq.Rep, zmq.Router, zmq.Stream, zmq.Radio, zmq.Dish: // they add a part
			return true
		}
	}
	return !w.single
}

// fragile reports whether connections must not end at any moment.
func (w *world) fragile() bool { return w.transport != "inproc" && w.cuts() }

// replace makes socket i and attaches it. It closes the one that was there.
func (w *world) replace(r *rand.Rand, i int) {
	typ := w.connects
	switch {
	case i < worldBinds:
		typ = w.binds
	case i == worldOther:
		typ = w.other
	case i == worldCopies:
		typ = []zmq.SocketType{zmq.Push, zmq.Pub, zmq.XPub, zmq.Dealer}[r.IntN(4)]
	case i == worldCopies+1:
		typ = []zmq.SocketType{zmq.Pull, zmq.XSub, zmq.Sub, zmq.Dealer}[r.IntN(4)]
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if old := w.sockets[i]; old != nil && old.Close() != nil {
		w.t.Error("a socket was not closed")
	}
	linger := time.Duration(r.IntN(20)) * time.Millisecond
	if w.fragile() { // long periods, which do not end at the same time
		linger = time.Second + time.Duration(r.IntN(4000))*time.Millisecond
	}
	settings := []zmq.Setting{zmq.Linger.To(linger), zmq.RecvTimeout.To(time.Millisecond), zmq.SendTimeout.To(time.Millisecond)}
	if typ == zmq.Pub || typ == zmq.XPub {
		settings = append(settings, zmq.TrackSubscriptions.To(r.IntN(2) == 0))
	}
	s, err := w.context.NewSocket(typ, settings...)
	w.sockets[i] = s
	if err != nil { // the context was shut down
		return
	}
	for range r.IntN(8) {
		_ = s.Set(w.setting(r))
	}
	w.attach(r, i, s)
}

func (w *world) attach(r *rand.Rand, i int, s *zmq.Socket) {
	switch {
	case i < worldBinds:
		if s.Bind(w.endpoints[i]) == nil && strings.HasSuffix(w.endpoints[i], "*") {
			if bound, err := s.LastEndpoint(); err == nil {
				w.endpoints[i] = bound
			}
		}
	case i < worldOther:
		_ = s.Connect(w.endpoints[0])
		_ = s.Connect(w.endpoints[1])
	case i == worldOther:
		_ = s.Connect(w.endpoints[r.IntN(worldBinds)])
	case i == worldCopies:
		_ = s.Bind(w.endpoints[worldBinds])
	default:
		_ = s.Connect(w.endpoints[worldBinds])
	}
}

// setting draws an option that changes how messages flow.
func (w *world) setting(r *rand.Rand) zmq.Setting {
	settings := []zmq.Setting{
		zmq.SendHWM.To(1 + r.IntN(3)), zmq.RecvHWM.To(1 + r.IntN(3)), zmq.RoutingID.To([]byte("id")), zmq.ReadAhead.To(r.IntN(20)),
		zmq.RouterMandatory.To(true), zmq.RouterHandover.To(true), zmq.ProbeRouter.To(true),
		zmq.ReqRelaxed.To(true), zmq.ReqCorrelate.To(true), zmq.StreamNotify.To(false), zmq.InvertMatching.To(true),
		zmq.XPubManual.To(true), zmq.XPubManualLastValue.To(true), zmq.XPubVerbose.To(true), zmq.XPubVerboser.To(true),
		zmq.XPubNoDrop.To(true), zmq.XPubWelcomeMessage.To([]byte("welcome")), zmq.OnlyFirstSubscribe.To(true), zmq.Subscribe.To(""),
	}
	if !w.fragile() {
		settings = append(settings, zmq.Immediate.To(true))
	}
	if w.transport == "inproc" {
		settings = append(settings, zmq.RouterRaw.To(true))
	}
	return settings[r.IntN(len(settings))]
}

// run makes the calls and closes the context.
func (w *world) run() {
	var running sync.WaitGroup
	for i := range randomCallers {
		running.Go(func() {
			c := newCaller(w, w.shutdown && i == 0, rand.New(rand.NewPCG(w.seed, uint64(i))))
			defer c.close()
			for k := range randomCalls {
				if c.ends && k == randomCalls/2 {
					c.end()
				}
				c.call()
			}
		})
	}
	running.Wait()
	if err := w.context.Close(); err != nil {
		w.t.Errorf("close: %v", err)
	}
	if n := core.Rescues(); n > 0 {
		w.t.Errorf("the watchdog found %d forgotten waiters", n)
	}
}

// look neither sends nor receives one message: it waits for some, or until the context is closed.
func (c *caller) look(s *zmq.Socket) {
	ctx, cancel := c.soon()
	defer cancel()
	switch c.r.IntN(7) {
	case 0:
		if m, err := s.Monitor(zmq.EventAll); err == nil {
			for range m.Events(ctx) {
				break
			}
			_ = m.Close()
		}
	case 1:
		_ = s.WaitReadable(ctx)
	case 2:
		select {
		case <-s.Ready():
		case <-ctx.Done():
		}
	case 3:
		if p, err := poller.New(); err == nil {
			_ = p.Add(s, poller.In|poller.Out)
			_, _ = p.Wait(ctx)
			_ = p.Close()
		}
	case 4:
		_ = s.Stats()
		_, _ = s.LastEndpoint()
	case 5:
		for range s.Messages(ctx) {
			if c.r.IntN(2) == 0 {
				break
			}
		}
	case 6:
		if c.w.shutdown && !c.ends {
			_ = s.Set(zmq.RecvTimeout.To(-1))
			_, _ = s.RecvMultipart(context.Background())
		}
	}
}
