package account_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/test/account"
	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
	network "github.com/go-zmq/go-zmq/zmq/zmqtest"
)

var messages = flag.Int("messages", 200_000, "messages that TestAccount sends in all")

func TestMain(m *testing.M) { testutil.Main(m, zmqtest.OpenReleasePipe) }

// patience is how long a test waits for what must happen soon.
const patience = 2 * time.Minute

// newContext returns a context whose publishers track subscriptions.
func newContext(t testing.TB) *zmq.Context {
	t.Helper()
	return zmqtest.NewContext(t, zmq.SocketDefaults(zmq.TrackSubscriptions.To(true)))
}

var newSocket = zmqtest.NewSocket

// newPool returns a pool that is closed with the test, and by then has its buffers.
func newPool(t testing.TB) *pool.Pool {
	t.Helper()
	p := pool.New(pool.Config{})
	t.Cleanup(func() {
		require.NoError(t, p.Close())
		require.Eventually(t, func() bool { return p.Stats().Outstanding == 0 }, patience, time.Millisecond)
	})
	return p
}

// endpointOf returns an endpoint of a transport to bind to.
func endpointOf(transport string) string {
	switch transport {
	case "tcp":
		return "tcp://127.0.0.1:*"
	case "ipc":
		return "ipc://*"
	}
	return zmqtest.InprocName()
}

func bind(t testing.TB, s *zmq.Socket, endpoint string) string {
	t.Helper()
	require.NoError(t, s.Bind(endpoint))
	return zmqtest.LastEndpoint(t, s)
}

// A harm is something that a proxy does to its connections.
type harm = func(p *network.Proxy, r *rand.Rand)

// Harms that a connection survives, by the word that stands behind the transport:
// with these, too, everything must arrive.
var harms = map[string]harm{
	"delayed": func(p *network.Proxy, r *rand.Rand) { p.Delay(time.Duration(r.IntN(2000)) * time.Microsecond) },
	"split":   func(p *network.Proxy, r *rand.Rand) { p.Split(1 + r.IntN(3)/2*r.IntN(100)) },
	"blackholed": func(p *network.Proxy, r *rand.Rand) {
		p.BlackHole()
		time.Sleep(time.Duration(r.IntN(50)) * time.Millisecond)
		p.Restore()
	},
}

// listen binds s, and returns where to connect to: "tcp delayed" binds to tcp, with a
// proxy in between that delays.
func listen(t testing.TB, s *zmq.Socket, transport string) string {
	t.Helper()
	transport, harm, _ := strings.Cut(transport, " ")
	endpoint := bind(t, s, endpointOf(transport))
	if do := harms[harm]; do != nil {
		p := network.NewProxy(t, endpoint)
		repeat(t, 20*time.Millisecond, func(r *rand.Rand) {
			do(p, r)
			totals.fault(harmed, 1)
		})
		return p.Endpoint()
	}
	return endpoint
}

// ended returns how many connections of a proxy have ended.
func ended(p *network.Proxy) int {
	_, n := p.Connections()
	return n
}

// repeat calls f at once and then, with pauses around the one given, until stop is
// called or the test ends.
func repeat(t testing.TB, pause time.Duration, f func(*rand.Rand)) (stop func()) {
	end := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		r := rand.New(rand.NewPCG(rand.Uint64(), 1))
		for {
			f(r)
			select {
			case <-end:
				return
			case <-time.After(pause/2 + time.Duration(r.Int64N(int64(pause)))):
			}
		}
	})
	stop = sync.OnceFunc(func() {
		close(end)
		group.Wait()
	})
	t.Cleanup(stop)
	return stop
}

// The kinds of faults that are counted.
const (
	broken     = "connections broken"
	harmed     = "connections delayed, split or blackholed"
	interrupts = "signals"
	cancels    = "calls cancelled"
	kills      = "peers killed"
	stops      = "peers stopped"
	cuts       = "networks cut"
	closings   = "sockets closed, unbound or bound again in use"
)

// A tally sums up what all tests found, for the line at the end.
type tally struct {
	mu      sync.Mutex
	sum     account.Report
	lost    uint64 // although nothing explains it
	gone    uint64 // with a connection, a socket or a peer that came to its end
	dropped uint64 // by PUB sockets, which counted them
	faults  map[string]uint64
}

var totals tally

// book enters what a test found in a ledger, and how many messages were lost that
// should not have been.
func (s *tally) book(l *account.Ledger, lost uint64) {
	r := l.Report()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sum.Received += r.Received
	s.sum.Doubled += r.Doubled
	s.sum.Reordered += r.Reordered
	s.sum.Torn += r.Torn
	s.sum.Corrupt += r.Corrupt
	s.lost += lost
}

// explain enters messages that did not arrive, as they may.
func (s *tally) explain(gone, dropped uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone += gone
	s.dropped += dropped
}

func (s *tally) fault(kind string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.faults == nil {
		s.faults = map[string]uint64{}
	}
	s.faults[kind] += uint64(n)
}

// lines returns two: which faults there were and what they cost, and the sums.
func (s *tally) lines() (faults, sums string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var kinds []string
	total := uint64(0)
	for _, kind := range slices.Sorted(maps.Keys(s.faults)) {
		kinds = append(kinds, fmt.Sprintf("%d %s", s.faults[kind], kind))
		total += s.faults[kind]
	}
	faults = fmt.Sprintf("faults: %s; %d messages gone with connections, sockets and peers that ended, %d dropped by PUB and counted",
		strings.Join(kinds, ", "), s.gone, s.dropped)
	sums = fmt.Sprintf("account: %d messages, %d faults, %d lost, %d doubled, %d reordered, %d torn, %d corrupt",
		s.sum.Received, total, s.lost, s.sum.Doubled, s.sum.Reordered, s.sum.Torn, s.sum.Corrupt)
	return faults, sums
}
