package account_test

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil"
	"github.com/go-zmq/go-zmq/zmq"
)

// Harms that a connection survives, by the word that stands behind the transport:
// with these, too, everything must arrive.
var harms = map[string]func(p *testutil.FaultyProxy, r *rand.Rand){
	"delayed": func(p *testutil.FaultyProxy, r *rand.Rand) { p.Delay(time.Duration(r.IntN(2000)) * time.Microsecond) },
	"split":   func(p *testutil.FaultyProxy, r *rand.Rand) { p.Split(1 + r.IntN(3)/2*r.IntN(100)) },
	"blackholed": func(p *testutil.FaultyProxy, r *rand.Rand) {
		p.Blackhole(true)
		time.Sleep(time.Duration(r.IntN(50)) * time.Millisecond)
		p.Blackhole(false)
	},
}

// listen binds s, and returns where to connect to: "tcp delayed" binds to tcp, with a
// proxy in between that delays.
func listen(t testing.TB, s *zmq.Socket, transport string) string {
	t.Helper()
	transport, harm, _ := strings.Cut(transport, " ")
	endpoint := bind(t, s, endpointOf(transport))
	if do := harms[harm]; do != nil {
		p := newProxy(t, endpoint)
		repeat(t, 20*time.Millisecond, func(r *rand.Rand) {
			do(p, r)
			totals.fault(harmed, 1)
		})
		return "tcp://" + p.Addr()
	}
	return endpoint
}

func newProxy(t testing.TB, endpoint string) *testutil.FaultyProxy {
	t.Helper()
	p, err := testutil.NewFaultyProxy(strings.TrimPrefix(endpoint, "tcp://"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
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
