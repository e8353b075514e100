package follow_test

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/follow"
	"github.com/go-zmq/go-zmq/zmq/zmqtest"
)

var messages = flag.Int("messages", 100_000, "messages of the test of changes under load")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A script is a Resolver that returns what the test sends to it.
type script chan answer

type answer struct {
	endpoints []string
	err       error
}

func (s script) Resolve(ctx context.Context) ([]string, error) {
	select {
	case a := <-s:
		return a.endpoints, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (script) Refresh() time.Duration { return 0 }

// start follows with a socket until the test ends, and returns its reports.
func start(t *testing.T, s *zmq.Socket, r follow.Resolver) <-chan follow.Change {
	t.Helper()
	changes := make(chan follow.Change, 1000)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- follow.Follow(ctx, s, r, func(c follow.Change) { changes <- c }) }()
	t.Cleanup(func() {
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
	})
	return changes
}

func next(t *testing.T, changes <-chan follow.Change) follow.Change {
	t.Helper()
	select {
	case c := <-changes:
		return c
	case <-zmqtest.Soon(t).Done():
		t.Fatal("no change was reported")
		panic("unreachable")
	}
}

// servers returns bound sockets and their endpoints.
func servers(t *testing.T, zctx *zmq.Context, typ zmq.SocketType, n int) (sockets []*zmq.Socket, endpoints []string) {
	t.Helper()
	for range n {
		s := zmqtest.NewSocket(t, zctx, typ)
		endpoints = append(endpoints, zmqtest.Bind(t, s, "tcp://127.0.0.1:*"))
		sockets = append(sockets, s)
	}
	return sockets, endpoints
}

func TestFollowConnectsAndDisconnects(t *testing.T) {
	t.Parallel()
	zctx := zmqtest.NewContext(t)
	pulls, at := servers(t, zctx, zmq.Pull, 2)
	push := zmqtest.NewSocket(t, zctx, zmq.Push)
	r := make(script)
	changes := start(t, push, r)

	r <- answer{endpoints: []string{at[0], at[0]}}
	require.Equal(t, follow.Change{Added: at[:1]}, next(t, changes))
	zmqtest.RequireWorks(t, push, pulls[0])
	r <- answer{endpoints: at[:1]} // reports nothing
	r <- answer{endpoints: at[1:]}
	require.Equal(t, follow.Change{Added: at[1:], Removed: at[:1]}, next(t, changes))
	for range 3 {
		zmqtest.RequireWorks(t, push, pulls[1])
	}
	r <- answer{}
	require.Equal(t, follow.Change{Removed: at[1:]}, next(t, changes))
	require.ErrorIs(t, push.SendString(zmqtest.Soon(t), "x", zmq.DontWait), zmq.ErrAgain, "nobody is there")
}

func TestFollowKeepsAnswerOfFailingResolver(t *testing.T) {
	t.Parallel()
	zctx := zmqtest.NewContext(t)
	pulls, at := servers(t, zctx, zmq.Pull, 1)
	push := zmqtest.NewSocket(t, zctx, zmq.Push)
	r := make(script)
	changes := start(t, push, r)
	r <- answer{endpoints: at}
	require.Equal(t, at, next(t, changes).Added)
	broken := errors.New("no name server")
	r <- answer{err: broken}
	require.Equal(t, follow.Change{Err: broken}, next(t, changes))
	zmqtest.RequireWorks(t, push, pulls[0])
	r <- answer{endpoints: append(at, "tcp://no port")}
	c := next(t, changes)
	require.ErrorContains(t, c.Err, `connect "tcp://no port"`)
	require.Empty(t, c.Removed)
	zmqtest.RequireWorks(t, push, pulls[0])
}

func TestFollowEndsWithItsSocket(t *testing.T) {
	t.Parallel()
	zctx := zmqtest.NewContext(t)
	push := zmqtest.NewSocket(t, zctx, zmq.Push)
	r := make(script, 1)
	require.NoError(t, push.Close())
	r <- answer{endpoints: []string{"tcp://127.0.0.1:1"}}
	require.ErrorIs(t, follow.Follow(zmqtest.Soon(t), push, r), zmq.ErrClosed)
	require.Error(t, follow.Follow(zmqtest.Soon(t), nil, r))
	require.Error(t, follow.Follow(zmqtest.Soon(t), push, nil))
}

// A program may end a connection of Follow's itself.
func TestFollowAllowsDisconnect(t *testing.T) {
	t.Parallel()
	zctx := zmqtest.NewContext(t)
	_, at := servers(t, zctx, zmq.Pull, 1)
	push := zmqtest.NewSocket(t, zctx, zmq.Push)
	r := make(script)
	changes := start(t, push, r)
	r <- answer{endpoints: at}
	next(t, changes)
	require.NoError(t, push.Disconnect(at[0]))
	r <- answer{}
	require.Equal(t, follow.Change{Removed: at}, next(t, changes))
}

func TestFollowOtherTypes(t *testing.T) {
	t.Parallel()
	for _, types := range [][2]zmq.SocketType{{zmq.Dealer, zmq.Router}, {zmq.Sub, zmq.Pub}, {zmq.Req, zmq.Rep}} {
		t.Run(types[0].String(), func(t *testing.T) {
			t.Parallel()
			zctx := zmqtest.NewContext(t, zmq.SocketDefaults(zmq.TrackSubscriptions.To(true)))
			bound, at := servers(t, zctx, types[1], 2)
			s := zmqtest.NewSocket(t, zctx, types[0])
			if types[0] == zmq.Sub {
				require.NoError(t, s.Subscribe(""))
			}
			r := make(script)
			changes := start(t, s, r)
			for i, b := range bound {
				r <- answer{endpoints: at[i : i+1]}
				require.Equal(t, at[i:i+1], next(t, changes).Added)
				switch types[0] {
				case zmq.Sub:
					require.NoError(t, b.WaitSubscribers(zmqtest.Soon(t), 1))
					zmqtest.RequireWorks(t, b, s)
				case zmq.Dealer:
					require.NoError(t, s.SendString(zmqtest.Soon(t), "x"))
					_, err := b.RecvMultipart(zmqtest.Soon(t))
					require.NoError(t, err)
				default:
					zmqtest.RequireWorks(t, s, b)
					zmqtest.RequireWorks(t, b, s)
				}
			}
		})
	}
}

func TestFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "endpoints")
	f := &follow.File{Path: path}
	_, err := f.Resolve(t.Context())
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(path, []byte("# shop\n\n  tcp://a:1 \r\ntcp://b:2"), 0o600))
	endpoints, err := f.Resolve(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"tcp://a:1", "tcp://b:2"}, endpoints)
	require.Equal(t, time.Second, f.Refresh())
	require.Equal(t, time.Minute, (&follow.File{Interval: time.Minute}).Refresh())
}

// Names change while messages flow: each message arrives once, and none goes to an address
// after its removal was reported.
func TestFollowChangesUnderLoad(t *testing.T) {
	t.Parallel()
	const places, changes = 5, 50
	total := uint64(*messages)
	sendContext := zmqtest.NewContext(t)
	recvContext := zmqtest.NewContext(t)
	pulls, at := servers(t, recvContext, zmq.Pull, places)
	push := zmqtest.NewSocket(t, sendContext, zmq.Push, zmq.Linger.To(-1))

	// The number of the last message that was begun when an address was removed.
	var mu sync.Mutex
	removed := map[string]uint64{}
	var begun atomic.Uint64
	reported := make(chan struct{}, 1000)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r := make(script)
	var group sync.WaitGroup
	group.Go(func() {
		_ = follow.Follow(ctx, push, r, func(c follow.Change) {
			mu.Lock()
			for _, e := range c.Removed {
				removed[e] = begun.Load()
			}
			mu.Unlock()
			if c.Err != nil {
				t.Error(c.Err)
			}
			reported <- struct{}{}
		})
	})

	seen := make([]atomic.Bool, total+1)
	var arrived atomic.Uint64
	all := make(chan struct{})
	for i, pull := range pulls {
		group.Go(func() {
			var buf [8]byte
			for {
				if _, err := pull.Recv(ctx, buf[:]); err != nil {
					return
				}
				n := binary.BigEndian.Uint64(buf[:])
				mu.Lock()
				last, gone := removed[at[i]]
				mu.Unlock()
				if gone && n > last {
					t.Errorf("message %d went to an address that was removed at %d", n, last)
				}
				if seen[n].Swap(true) {
					t.Errorf("message %d arrived twice", n)
				}
				if arrived.Add(1) == total {
					close(all)
				}
			}
		})
	}
	group.Go(func() {
		var buf [8]byte
		for n := uint64(1); n <= total; n++ {
			begun.Store(n)
			binary.BigEndian.PutUint64(buf[:], n)
			if err := push.Send(ctx, buf[:]); err != nil {
				t.Error(err)
				return
			}
		}
	})
	// The changes are spread over the messages.
	current := map[string]bool{}
	for i := range uint64(changes) {
		for begun.Load() < i*total/changes && ctx.Err() == nil && i > 0 {
			time.Sleep(100 * time.Microsecond)
		}
		wanted := map[string]bool{at[rand.IntN(places)]: true}
		for _, e := range at {
			if rand.IntN(2) == 0 {
				wanted[e] = true
			}
		}
		mu.Lock()
		for e := range wanted { // messages may arrive before the report
			delete(removed, e)
		}
		mu.Unlock()
		r <- answer{endpoints: keys(wanted)}
		if fmt.Sprint(wanted) != fmt.Sprint(current) {
			<-reported
		}
		current = wanted
	}
	select {
	case <-all:
	case <-time.After(10 * time.Minute):
		t.Errorf("%d of %d messages arrived", arrived.Load(), total)
	}
	cancel()
	group.Wait()
}

func keys(m map[string]bool) (all []string) {
	for k := range m {
		all = append(all, k)
	}
	return all
}

// The instances of a service are connected to as they appear in a file.
func ExampleFollow() {
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	pull, err := zctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("tcp://127.0.0.1:*"))
	endpoint, err := pull.LastEndpoint()
	check(err)

	path := filepath.Join(os.TempDir(), fmt.Sprintf("endpoints-%d", os.Getpid()))
	check(os.WriteFile(path, []byte(endpoint+"\n"), 0o600))
	defer os.Remove(path)
	push, err := zctx.NewSocket(zmq.Push)
	check(err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = follow.Follow(ctx, push, &follow.File{Path: path}, func(c follow.Change) {
			fmt.Println("connected to", len(c.Added), "instance")
		})
	}()
	check(push.SendString(ctx, "an order")) // waits until there is an instance
	order, err := pull.RecvString(ctx)
	check(err)
	cancel()
	<-done
	fmt.Println(order)
	// Output:
	// connected to 1 instance
	// an order
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
