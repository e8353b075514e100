package load

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/internal/libzmq/cfloor"
	"github.com/go-zmq/go-zmq/internal/testutil"
	"github.com/go-zmq/go-zmq/zmq"
)

func TestMain(m *testing.M) { testutil.Main(m) }

func lat(pattern, transport string) record.Cell {
	return record.Cell{Verb: record.Lat, Pattern: pattern, Transport: transport, Size: 64, Impl: "go", Senders: 1}
}

func openLoop(pattern, transport string, rate float64) record.Cell {
	c := lat(pattern, transport)
	c.Rate, c.Arrivals = rate, "uniform"
	return c
}

// short is a method for tests: how fast it is does not matter.
var short = record.Method{Warmup: 10 * time.Millisecond, Count: 50, Pace: Sleep}

func TestRoundTrips(t *testing.T) {
	t.Parallel()
	for pattern, shape := range shapes {
		for _, transport := range []string{"inproc", "ipc", "tcp"} {
			t.Run(pattern+"/"+transport, func(t *testing.T) {
				t.Parallel()
				if shape.draft && transport == "inproc" {
					require.ErrorContains(t, Possible(openLoop(pattern, transport, 2000)), "libzmq freezes")
					return
				}
				if shape.draft && !zmq.Has("draft") {
					_, err := Measure(t.Context(), openLoop(pattern, transport, 2000), short)
					require.ErrorIs(t, err, zmq.ErrNotSupported)
					return
				}
				if !shape.oneWay {
					r, err := Measure(t.Context(), lat(pattern, transport), short)
					require.NoError(t, err)
					require.EqualValues(t, 50, r.Messages)
					require.EqualValues(t, 50, r.Main().Count)
					require.EqualValues(t, 50*64, r.Bytes)
					require.Positive(t, r.Elapsed)
					require.Positive(t, r.Crossings)
				}

				r, err := Measure(t.Context(), openLoop(pattern, transport, 2000), short)
				require.NoError(t, err)
				require.EqualValues(t, 50, r.Messages)
				require.EqualValues(t, 50, r.Due)
				require.Zero(t, r.Unsent)
				for _, name := range []string{record.Due, record.Sent, record.Pacer} {
					require.EqualValues(t, 50, r.Latency[name].Count, name)
				}
				require.GreaterOrEqual(t, r.Latency[record.Due].Max, r.Latency[record.Sent].Min)
			})
		}
	}
}

// onFirst pins everything to a processor that there is, if the system has such calls.
func onFirst() string {
	if cpus := cfloor.Affinity(); len(cpus) > 0 {
		return fmt.Sprintf("%d/%d/%d", cpus[0], cpus[0], cpus[0])
	}
	return ""
}

func TestVariants(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*record.Cell){
		"no room for a number": func(c *record.Cell) { c.Size = 1 },
		"empty":                func(c *record.Cell) { c.Size = 0 },
		"large":                func(c *record.Cell) { c.Size = 100_000 },
		"three clients":        func(c *record.Cell) { c.Senders = 3 },
		"window":               func(c *record.Cell) { c.Window = 10 },
		"curve":                func(c *record.Cell) { c.Security, c.Transport = "curve", "tcp" },
		"options":              func(c *record.Cell) { c.Options = "hwm=3,io-threads=2,IPV6=1" },
		"parts":                func(c *record.Cell) { c.Parts = 3 },
		"parts of a ROUTER":    func(c *record.Cell) { c.Pattern, c.Parts = "routerrouter", 3 },
		"parts, one way":       func(c *record.Cell) { c.Pattern, c.Parts, c.Rate, c.Arrivals = "pushpull", 3, 3000, "uniform" },
		"parts of a REQ":       func(c *record.Cell) { c.Pattern, c.Parts = "reqrep", 4 },
		"pinned":               func(c *record.Cell) { c.Pin = onFirst(); c.Transport = "tcp" },
		"pinned, with a rate":  func(c *record.Cell) { c.Pin, c.Rate, c.Arrivals = onFirst(), 3000, "uniform" },
		"poisson":              func(c *record.Cell) { c.Rate, c.Arrivals = 3000, "poisson" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := lat("dealerrouter", "inproc")
			change(&c)
			r, err := Measure(t.Context(), c, short)
			require.NoError(t, err)
			require.GreaterOrEqual(t, r.Messages, int64(50))
			c.Rate, c.Arrivals = 1000, "uniform"
			method := short
			method.Count, method.Duration = 0, 500*time.Millisecond
			r, err = Measure(t.Context(), c, method)
			require.NoError(t, err)
			// A machine that stands still may let none of them go in time.
			require.Positive(t, r.Due)
			require.Equal(t, r.Due, r.Messages+r.Unsent)
		})
	}
}

// undisturbed measures, and again if the machine stood still for so long meanwhile that the
// stall that the test makes did not show.
func undisturbed(t *testing.T, r *record.Run, beforeReply func(i int)) {
	t.Helper()
	for {
		h := pace.StartHiccups()
		err := latency(t.Context(), r, nil, h, beforeReply)
		stood := time.Duration(h.Stop().Max())
		require.NoError(t, err)
		if stood < 500*time.Millisecond {
			return
		}
		*r = record.Run{Cell: r.Cell, Method: r.Method}
	}
}

// The proof that coordinated omission is not omitted: an end that stands still once,
// for 100 ms of 2 s, makes a twentieth of the messages late. All of them are in the
// latency from when they were due; a tool that looks at the clock when it sends
// sees a single one. (Since each send waits for the reply, no machine is so busy
// that one in a hundred of 4,000 takes 50 ms within the 2 s.)
func TestCoordinatedOmission(t *testing.T) {
	r := record.Run{
		Cell:   openLoop("reqrep", "inproc", 2000),
		Method: record.Method{Warmup: 20 * time.Millisecond, Duration: 2 * time.Second, Pace: Sleep},
	}
	undisturbed(t, &r, func(i int) {
		if i == 1000 {
			time.Sleep(100 * time.Millisecond) // the stall
		}
	})
	due, sent := r.Latency[record.Due], r.Latency[record.Sent]
	require.Greater(t, due.Percentile(99), float64(50*time.Millisecond))
	require.Less(t, sent.Percentile(99), float64(50*time.Millisecond))
	require.GreaterOrEqual(t, sent.Max, int64(99*time.Millisecond), "the one that it sees")
	// What is between the two is the sender's waiting.
	require.Greater(t, r.Latency[record.Pacer].Percentile(99), float64(50*time.Millisecond))
}

// With messages under way at once, all that were sent meanwhile have waited.
func TestAStallShowsInBothWhereNobodyWaits(t *testing.T) {
	t.Parallel()
	r := record.Run{
		Cell:   openLoop("dealerrouter", "inproc", 500),
		Method: record.Method{Duration: time.Second, Pace: Sleep},
	}
	undisturbed(t, &r, func(i int) {
		if i == 200 {
			time.Sleep(100 * time.Millisecond) // the stall
		}
	})
	require.Greater(t, r.Latency[record.Due].Percentile(99), float64(50*time.Millisecond))
	require.Greater(t, r.Latency[record.Sent].Percentile(99), float64(50*time.Millisecond))
}

// An end that is slower than the offered load: most is not sent, and the run says
// that its percentiles are those of a queue.
func TestSaturated(t *testing.T) {
	t.Parallel()
	r := record.Run{
		Cell:   openLoop("dealerrouter", "inproc", 20_000),
		Method: record.Method{Duration: 300 * time.Millisecond, Pace: Sleep},
	}
	r.Cell.Options = "hwm=5"
	h := pace.StartHiccups()
	err := latency(t.Context(), &r, nil, h, func(int) { time.Sleep(time.Millisecond) })
	h.Stop()
	require.NoError(t, err)
	require.Positive(t, h.Longest(), "the meter was not told when messages count")
	require.Less(t, r.Achieved(), 0.5)
	require.True(t, Saturated(&r, 0))
	require.Positive(t, r.Unsent)
	require.InDelta(t, 6000, r.Due, 1)
}

// Clients take turns: were the first messages of all due at once, three would have one more
// each, and a burst of three would be due every 30 ms.
func TestClientsTakeTurns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		peer *Peer // nil: all clients are here
		due  int64
	}{
		"all":                {nil, 31},
		"the first of seven": {&Peer{All: 7}, 15}, // 0, 1, 2, 7, 8, 9 and so on to 30
		"the last of seven":  {&Peer{First: 4, All: 7}, 12},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cell := openLoop("dealerrouter", "ipc", 100)
			cell.Senders = 3
			if c.peer != nil {
				cell.Rate *= 3. / 7
				bound, served := make(chan Peer, 1), make(chan error, 1)
				ctx, cancel := context.WithCancel(t.Context())
				go func() { served <- Serve(ctx, cell, func(p Peer) error { bound <- p; return nil }) }()
				defer func() {
					cancel()
					require.NoError(t, <-served)
				}()
				c.peer.Endpoint = (<-bound).Endpoint
			}
			r, err := MeasurePeer(t.Context(), cell, record.Method{Duration: 305 * time.Millisecond, Pace: Sleep}, c.peer)
			require.NoError(t, err)
			require.Equal(t, c.due, r.Due)

			// Of a count, what is planned is the time that it has at this rate.
			r, err = MeasurePeer(t.Context(), cell, record.Method{Count: 6, Pace: Sleep}, c.peer)
			require.NoError(t, err)
			require.EqualValues(t, 6, r.Due)
			require.InDelta(t, 6/cell.Rate, r.Planned.Seconds(), 1e-6)
		})
	}
}

// Of the load 99 % have to go through, less what was due while the machine stood still.
func TestWhatSaturates(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		messages       int64 // of 1000
		elapsed, stood time.Duration
		saturated      bool
	}{
		"all":                             {1000, time.Second, 0, false},
		"enough":                          {990, time.Second, 0, false},
		"less":                            {989, time.Second, 0, true},
		"late":                            {1000, 1020 * time.Millisecond, 0, true},
		"less, in a machine's hiccup":     {895, time.Second, 100 * time.Millisecond, false},
		"less than that explains":         {885, time.Second, 100 * time.Millisecond, true},
		"the machine stood still for all": {0, 3 * time.Second, time.Second, false},
	} {
		r := record.Run{Cell: openLoop("reqrep", "tcp", 1000), Due: 1000, Planned: time.Second, Messages: c.messages, Elapsed: c.elapsed}
		require.Equal(t, c.saturated, Saturated(&r, c.stood), name)
	}
	require.False(t, Saturated(&record.Run{Cell: lat("reqrep", "tcp")}, 0), "a closed loop never is")
}

func TestTheEndOfTheContextIsTheError(t *testing.T) {
	t.Parallel()
	enough := errors.New("enough")
	for name, cell := range map[string]record.Cell{
		"pingpong":   lat("reqrep", "tcp"),
		"open loop":  openLoop("dealerrouter", "tcp", 100),
		"step":       openLoop("reqrep", "inproc", 0.01),
		"one way":    openLoop("pushpull", "ipc", 100),
		"throughput": {Verb: record.Thr, Pattern: "pushpull", Transport: "tcp", Size: 64, Mode: "batch", Impl: "go"},
		"c":          {Verb: record.Lat, Pattern: "dealerdealer", Transport: "tcp", Size: 64, Impl: "c"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, enough)
			defer cancel()
			_, err := Measure(ctx, cell, record.Method{Duration: time.Hour})
			require.ErrorIs(t, err, enough)
			require.ErrorContains(t, err, cell.String())
		})
	}
}

// Nor is a warm-up first counted to its end that no load gets through.
func TestTheEndOfTheContextInAnEndlessWarmUp(t *testing.T) {
	t.Parallel()
	for _, arrivals := range []string{pace.Uniform, pace.Poisson} {
		cell := openLoop("pair", "inproc", 1e9)
		cell.Arrivals = arrivals
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := Measure(ctx, cell, record.Method{Warmup: time.Hour, Count: 1, Pace: Sleep})
		require.ErrorIs(t, err, context.DeadlineExceeded)
	}
}

// A stall of the other end does not keep a message that is wrong from being seen.
func TestIntegrity(t *testing.T) {
	t.Parallel()
	e, err := openEnds(lat("pair", "inproc"), nil, "")
	require.NoError(t, err)
	defer e.close()
	c := e.clients[0]
	require.NoError(t, c.send())
	p := make([]byte, 65)
	n, err := e.server.Recv(context.Background(), p)
	require.NoError(t, err)
	for _, wrong := range [][]byte{p[:n-1], append([]byte{9}, p[1:n]...)} {
		require.NoError(t, e.server.Send(context.Background(), wrong))
		_, err = c.recv()
		require.ErrorIs(t, err, errIntegrity)
	}
	require.NoError(t, e.server.Send(context.Background(), p[:n]))
	_, err = c.recv()
	require.NoError(t, err)
	require.NoError(t, e.server.Send(context.Background(), p[:n]))
	_, err = c.recv()
	require.ErrorIs(t, err, errIntegrity, "a message came twice")
}

// A server of its own, with the clients elsewhere: here in the same process.
func TestMeasurePeer(t *testing.T) {
	t.Parallel()
	for _, security := range []string{"", "curve"} {
		t.Run("security "+security, func(t *testing.T) {
			t.Parallel()
			cell := lat("routerrouter", "ipc")
			cell.Security = security
			ctx, cancel := context.WithCancel(t.Context())
			bound, served := make(chan Peer, 1), make(chan error, 1)
			go func() { served <- Serve(ctx, cell, func(p Peer) error { bound <- p; return nil }) }()
			peer := <-bound
			r, err := MeasurePeer(ctx, cell, short, &peer)
			require.NoError(t, err)
			require.EqualValues(t, 50, r.Messages)
			cancel()
			require.NoError(t, <-served)
		})
	}
}

func TestThroughput(t *testing.T) {
	t.Parallel()
	for _, impl := range []string{"go", "c"} {
		cell := record.Cell{Verb: record.Thr, Pattern: "pushpull", Transport: "inproc", Size: 64, Mode: "batch", Impl: impl}
		r, err := Measure(t.Context(), cell, record.Method{Count: 1000})
		require.NoError(t, err)
		require.EqualValues(t, 1000, r.Messages)
		require.EqualValues(t, 64_000, r.Bytes)
		require.Positive(t, r.Rate())
	}
	r, err := Measure(t.Context(), record.Cell{Verb: record.Lat, Pattern: "dealerdealer", Transport: "inproc", Size: 64, Impl: "c"}, record.Method{Count: 100})
	require.NoError(t, err)
	require.EqualValues(t, 100, r.Messages)
	require.EqualValues(t, 100, r.Main().Count)
}

// Round trips in Go and in C have the same meter beside them: one that looked twenty
// times less often would disturb one less, and see less of what disturbs it.
func TestTheMeterIsThatOfTheVerb(t *testing.T) {
	t.Parallel()
	for _, impl := range []string{"go", "c"} {
		cell := lat("dealerdealer", "inproc")
		cell.Impl = impl
		// A machine that stands still while sockets are made looks as seldom as one that
		// naps for long. That passes; the wrong meter would not.
		require.Eventually(t, func() bool {
			begin := time.Now()
			r, err := Measure(t.Context(), cell, record.Method{Duration: 300 * time.Millisecond})
			if !assert.NoError(t, err) {
				return true
			}
			seen := r.Latency[record.Machine]
			// What it slept too long is not time in which it could have looked.
			late := time.Duration(seen.Mean * float64(seen.Count))
			return seen.Count > int64((time.Since(begin)-late)/pace.LongNap)+1
		}, time.Minute, time.Millisecond, impl)
	}
}

func TestRuns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ size, count, messages, n int }{
		{64, 0, 100_000, 0},
		{64, 1, 1, 1},
		{64, 100_000, 100_000, 1},
		{64, 100_001, 50_001, 2},
		{65536, 2048, 1024, 2},
	} {
		messages, n := runs(Spec(record.Cell{Verb: record.Thr, Pattern: "pushpull", Size: c.size}), c.count)
		require.Equal(t, c.messages, messages)
		require.Equal(t, c.n, n)
	}
}

// SUB and DISH have no SendHWM: there it is left out.
func TestOptionsOfSubscribers(t *testing.T) {
	t.Parallel()
	ofContext, ofSockets, err := options("RCVHWM=7,SNDHWM=6,hwm=5")
	require.NoError(t, err)
	zctx, err := zmq.NewContext(ofContext...)
	require.NoError(t, err)
	defer zctx.Close()
	for typ, want := range map[zmq.SocketType]int{zmq.Sub: 0, zmq.Pub: 5} {
		s, err := zctx.NewSocket(typ, ofSockets...)
		require.NoError(t, err)
		send, err := zmq.SendHWM.Get(s)
		require.NoError(t, err)
		require.Equal(t, want, send)
		receive, err := zmq.RecvHWM.Get(s)
		require.NoError(t, err)
		require.Equal(t, 5, receive)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	list, err := Options(map[string]string{"rcvbuf": "1000", "hwm": "0"})
	require.NoError(t, err)
	require.Equal(t, "hwm=0,rcvbuf=1000", list)
	for _, bad := range []map[string]string{{"linger": "1"}, {"hwm": "many"}, {"io-threads": "0"}, {"hwm": "-1"}} {
		_, err := Options(bad)
		require.Error(t, err)
	}
}

// Whatever the pace, all that is due is sent and comes back, and GOMAXPROCS is what it
// was when the runs have ended.
func TestPaces(t *testing.T) { // not parallel: GOMAXPROCS is the process's
	before := runtime.GOMAXPROCS(0)
	for _, name := range Paces() {
		method := short
		method.Pace = name
		r, err := Measure(t.Context(), openLoop("dealerrouter", "tcp", 2000), method)
		require.NoError(t, err)
		require.EqualValues(t, 50, r.Messages, name)
		require.Equal(t, before, runtime.GOMAXPROCS(0))
	}
}
