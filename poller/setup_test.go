package poller_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/test/testutil/intercept"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

const (
	// patience is how long a test waits for an event that must happen soon.
	patience = 30 * time.Second
	// soon is a generous limit for a return that must happen at once.
	soon = 10 * time.Second

	tcp = "tcp://127.0.0.1:*"
)

var (
	newContext = zmqtest.NewContext
	newSocket  = zmqtest.NewSocket
	inprocName = zmqtest.InprocName
	connect    = zmqtest.Connect
	connected  = zmqtest.Pair
	transports = zmqtest.Transports
)

func newPoller(t testing.TB) *poller.Poller {
	t.Helper()
	p, err := poller.New()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

func newReactor(t testing.TB) *poller.Reactor {
	t.Helper()
	r, err := poller.NewReactor()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

// of returns the events that a Poll reported for a socket, or 0. It fails if there are
// two reports.
func of(t testing.TB, events []poller.Event, s *zmq.Socket) (found poller.Events) {
	t.Helper()
	for _, e := range events {
		if e.Socket == s {
			require.Zero(t, found, "reported twice by one Poll")
			require.NotZero(t, e.Events)
			require.Zero(t, e.FD)
			found = e.Events
		}
	}
	return found
}

// ofFD is of for a descriptor.
func ofFD(t testing.TB, events []poller.Event, fd uintptr) (found poller.Events) {
	t.Helper()
	for _, e := range events {
		if e.Socket == nil && e.FD == fd {
			require.Zero(t, found, "reported twice by one Poll")
			require.NotZero(t, e.Events)
			found = e.Events
		}
	}
	return found
}

// poll calls Poll, which must succeed.
func poll(t testing.TB, p *poller.Poller, timeout time.Duration) []poller.Event {
	t.Helper()
	events, err := p.Poll(timeout)
	require.NoError(t, err)
	return events
}

// requireNow requires that two polls report exactly these events of a socket, so that the
// first forgot nothing.
func requireNow(t testing.TB, p *poller.Poller, s *zmq.Socket, want poller.Events, why string) {
	t.Helper()
	for i := range 2 {
		require.Equal(t, want, of(t, poll(t, p, 0), s), "%s, look %d", why, i)
	}
}

// requireSoon polls until exactly these events of a socket are reported, and requires
// that this does not change.
func requireSoon(t testing.TB, p *poller.Poller, s *zmq.Socket, want poller.Events, why string) {
	t.Helper()
	var got poller.Events
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if got = of(t, poll(t, p, time.Millisecond), s); got == want {
			requireNow(t, p, s, want, why)
			return
		}
	}
	require.Equal(t, want, got, why)
}

// waiting runs a Poll or Wait without a limit in a goroutine, and returns when it waits:
// a second call is refused.
func waiting(t testing.TB, p *poller.Poller, call func() ([]poller.Event, error)) <-chan result {
	t.Helper()
	done := make(chan result, 1)
	go func() {
		for {
			events, err := call()
			if !errors.Is(err, zmq.ErrState) { // it met the look below
				done <- result{events: events, err: err}
				return
			}
		}
	}()
	for end := time.Now().Add(patience); ; {
		if _, err := p.Poll(0); err != nil {
			require.ErrorIs(t, err, zmq.ErrState)
			return done
		}
		require.True(t, time.Now().Before(end), "it does not wait")
		time.Sleep(10 * time.Microsecond)
	}
}

type result struct {
	events []poller.Event
	err    error
}

// await returns what a goroutine sends, and fails if that takes too long.
func await[T any](t testing.TB, c <-chan T, what string) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(patience):
		require.FailNow(t, "nothing came: "+what)
	}
	return v
}

// waits are the ways to wait without a limit, or with one that is far away.
var waits = map[string]func(ctx context.Context, p *poller.Poller) ([]poller.Event, error){
	"Poll(-1)":   func(_ context.Context, p *poller.Poller) ([]poller.Event, error) { return p.Poll(-1) },
	"Poll(hour)": func(_ context.Context, p *poller.Poller) ([]poller.Event, error) { return p.Poll(time.Hour) },
	"Wait":       func(ctx context.Context, p *poller.Poller) ([]poller.Event, error) { return p.Wait(ctx) },
}

func forEver(p *poller.Poller) func() ([]poller.Event, error) {
	return func() ([]poller.Event, error) { return p.Poll(-1) }
}

func timeoutContext(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), d)
}

// within returns a context that ends with the test or after patience.
func within(t testing.TB) context.Context { return zmqtest.Timeout(t, patience) }

func TestMain(m *testing.M) { testutil.Main(m, intercept.CheckMessages) }
