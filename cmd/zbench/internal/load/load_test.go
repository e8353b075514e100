package load

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/test/testutil"
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

// short is a method for tests in which the speed does not matter.
var short = record.Method{Warmup: 10 * time.Millisecond, Duration: 50 * time.Millisecond, Pace: Sleep}

func TestRoundTrips(t *testing.T) {
	t.Parallel()
	for _, pattern := range record.PatternNames(record.Lat) {
		shape, _ := record.PatternOf(pattern)
		for _, transport := range []string{"inproc", "ipc", "tcp"} {
			t.Run(pattern+"/"+transport, func(t *testing.T) {
				t.Parallel()
				if shape.Draft && transport == "inproc" {
					require.ErrorContains(t, Possible(openLoop(pattern, transport, 2000)), "libzmq hangs")
					return
				}
				if shape.Draft && !zmq.Has("draft") {
					_, err := Measure(t.Context(), openLoop(pattern, transport, 2000), short, nil)
					require.ErrorIs(t, err, zmq.ErrNotSupported)
					return
				}
				if shape.Answered {
					r, err := Measure(t.Context(), lat(pattern, transport), short, nil)
					require.NoError(t, err)
					require.Positive(t, r.Messages)
					require.Equal(t, r.Messages, r.Main().Count)
					require.Equal(t, r.Messages*64, r.Bytes)
					require.Positive(t, r.Elapsed)
					require.Positive(t, r.Crossings)
				}
				r, err := Measure(t.Context(), openLoop(pattern, transport, 2000), short, nil)
				require.NoError(t, err)
				require.EqualValues(t, 100, r.Due)
				require.Equal(t, r.Due, r.Messages+r.Unsent)
				for _, name := range []string{record.Due, record.Sent, record.Pacer} {
					if r.Messages > 0 {
						require.Equal(t, r.Messages, r.Latency[name].Count, name)
					}
				}
			})
		}
	}
}

func TestVariants(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*record.Cell){
		"no room for a number": func(c *record.Cell) { c.Size = 1 },
		"empty":                func(c *record.Cell) { c.Size = 0 },
		"large":                func(c *record.Cell) { c.Size = 100_000 },
		"three clients":        func(c *record.Cell) { c.Senders = 3 },
		"curve":                func(c *record.Cell) { c.Security, c.Transport = "curve", "tcp" },
		"options":              func(c *record.Cell) { c.Options = "HWM=3,IO_THREADS=2" },
		"in lockstep":          func(c *record.Cell) { c.Pattern = "reqrep" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := lat("dealerrouter", "inproc")
			change(&c)
			r, err := Measure(t.Context(), c, short, nil)
			require.NoError(t, err)
			require.Positive(t, r.Messages)
			for _, arrivals := range []string{"uniform", "poisson"} {
				c.Rate, c.Arrivals = 1000, arrivals
				method := short
				method.Duration = 500 * time.Millisecond
				r, err = Measure(t.Context(), c, method, nil)
				require.NoError(t, err)
				require.Positive(t, r.Due)
				require.Equal(t, r.Due, r.Messages+r.Unsent)
			}
		})
	}
}

// undisturbed measures again if the machine stalled for so long that the stall of the test
// does not show.
func undisturbed(t *testing.T, r *record.Run, beforeReply func(i int)) {
	t.Helper()
	for {
		h := pace.StartHiccups(pace.Nap)
		err := latency(t.Context(), r, nil, h, beforeReply)
		stalled := time.Duration(h.Stop().Max())
		require.NoError(t, err)
		if stalled < 500*time.Millisecond {
			return
		}
		*r = record.Run{Cell: r.Cell, Method: r.Method}
	}
}

// A server that stalls once for 100 ms of 2 s makes a twentieth of the messages late. All of
// them are in the latency from the due time; a tool that reads the clock when it sends sees
// only one.
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
	require.Greater(t, r.Latency[record.Pacer].Percentile(99), float64(50*time.Millisecond), "the sender waited")
	require.NotEmpty(t, r.Timeline)
	worst := int64(0)
	for _, m := range r.Timeline {
		worst = max(worst, m.Max)
	}
	require.Greater(t, worst, int64(50*time.Millisecond))
}

// slow is a run with a server that answers at most 1000 messages per second.
func slow(t *testing.T, warmup time.Duration) record.Run {
	t.Helper()
	r := record.Run{
		Cell:   openLoop("dealerrouter", "inproc", 20_000),
		Method: record.Method{Warmup: warmup, Duration: 300 * time.Millisecond, Pace: Sleep},
	}
	r.Cell.Options = "HWM=5"
	h := pace.StartHiccups(pace.Nap)
	err := latency(t.Context(), &r, nil, h, func(int) { time.Sleep(time.Millisecond) })
	h.Stop()
	require.NoError(t, err)
	require.Positive(t, h.Longest(), "the meter does not know the window")
	return r
}

// Under a load that does not go through, the messages that the warm-up queued take no time
// from the window. The achieved rate does not depend on the warm-up, and all rates are known.
func TestWarmupBacklogDoesNotCount(t *testing.T) {
	t.Parallel()
	without, with := slow(t, 0), slow(t, 500*time.Millisecond)
	for name, r := range map[string]record.Run{"without warm-up": without, "with": with} {
		require.InDelta(t, 6000, r.Due, 1, name)
		require.Positive(t, r.Unsent, name)
		require.Positive(t, r.Messages, name)
		require.True(t, Saturated(&r, 0), name)
		require.Less(t, r.Achieved(), 0.5, name)
		require.Positive(t, r.Rate(), name)
		require.Positive(t, r.SentRate(), name)
	}
	// A server that sleeps for 1 ms answers some hundred messages, whatever the machine
	// does. With the backlog of the warm-up in the window there would be none.
	require.Greater(t, with.Messages, without.Messages/10)
}

// Of the load 99 % must go through, less what was due while the machine stalled.
func TestSaturated(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		messages         int64 // of 1000
		elapsed, stalled time.Duration
		saturated        bool
	}{
		"all":                           {1000, time.Second, 0, false},
		"enough":                        {990, time.Second, 0, false},
		"less":                          {989, time.Second, 0, true},
		"late":                          {1000, 1020 * time.Millisecond, 0, true},
		"less, in a stall":              {895, time.Second, 100 * time.Millisecond, false},
		"less than a stall explains":    {885, time.Second, 100 * time.Millisecond, true},
		"the machine stalled all along": {0, 3 * time.Second, time.Second, false},
	} {
		r := record.Run{Cell: openLoop("reqrep", "tcp", 1000), Due: 1000, Planned: time.Second, Messages: c.messages, Elapsed: c.elapsed}
		require.Equal(t, c.saturated, Saturated(&r, c.stalled), name)
	}
	require.False(t, Saturated(&record.Run{Cell: lat("reqrep", "tcp")}, 0), "there is no load")
}

// The last message is sent a little after the end of the window, and answered after that:
// both rates are those of the window.
func TestSentAndCompletedAgree(t *testing.T) {
	t.Parallel()
	for late, want := range map[time.Duration]float64{0: 1000, 40 * time.Millisecond: 1000, 250 * time.Millisecond: 800} {
		r := record.Run{Cell: openLoop("dealerrouter", "tcp", 1000), Method: record.Method{Duration: time.Second}}
		s := seen{main: record.NewHistogram(), messages: 1000, due: 1000, sentLast: time.Second + late, last: time.Second + late}
		require.NoError(t, collect(&r, &window{duration: time.Second}, []seen{s}))
		require.InDelta(t, want, r.SentRate(), 1e-6, "%v late", late)
		require.InDelta(t, want, r.Rate(), 1e-6, "%v late", late)
	}
}

// Clients take turns: were the first messages of all due at once, there would be bursts.
func TestClientsTakeTurns(t *testing.T) {
	t.Parallel()
	cell := openLoop("dealerrouter", "ipc", 100)
	cell.Senders = 3
	r, err := Measure(t.Context(), cell, record.Method{Duration: 305 * time.Millisecond, Pace: Sleep}, nil)
	require.NoError(t, err)
	require.EqualValues(t, 31, r.Due)
}

// Random arrivals differ from run to run and from host to host.
func TestRandomArrivalsDiffer(t *testing.T) {
	t.Parallel()
	due := map[int64]bool{}
	for range 20 {
		cell := openLoop("dealerrouter", "inproc", 2000)
		cell.Arrivals = pace.Poisson
		r, err := Measure(t.Context(), cell, short, nil)
		require.NoError(t, err)
		if due[r.Due] = true; len(due) > 1 {
			return
		}
	}
	t.Fatalf("all of 20 runs had the same number of messages: %v", due)
}

func TestTheEndOfTheContextIsTheError(t *testing.T) {
	t.Parallel()
	over := errors.New("over")
	for name, cell := range map[string]record.Cell{
		"closed":     lat("reqrep", "tcp"),
		"open":       openLoop("dealerrouter", "tcp", 100),
		"lockstep":   openLoop("reqrep", "inproc", 0.01),
		"one way":    openLoop("pushpull", "ipc", 100),
		"throughput": {Verb: record.Thr, Pattern: "pushpull", Transport: "tcp", Size: 64, Mode: "batch", Impl: "go"},
		"c":          {Verb: record.Lat, Pattern: "dealerdealer", Transport: "tcp", Size: 64, Impl: "c"},
	} {
		for _, warmup := range []time.Duration{0, time.Hour} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, over)
				defer cancel()
				_, err := Measure(ctx, cell, record.Method{Warmup: warmup, Duration: time.Hour}, nil)
				require.ErrorIs(t, err, over)
				require.ErrorContains(t, err, cell.String())
			})
		}
	}
}

// A message that is not the expected one fails a run.
func TestIntegrity(t *testing.T) {
	t.Parallel()
	e, err := openEnds(t.Context(), lat("pair", "inproc"), record.Method{}, nil)
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
	for i := range 2 {
		require.NoError(t, e.server.Send(context.Background(), p[:n]))
		_, err = c.recv()
		if i == 0 {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, errIntegrity, "a message came twice")
		}
	}
}

func TestThroughput(t *testing.T) {
	t.Parallel()
	for _, impl := range []string{"go", "c"} {
		cell := record.Cell{Verb: record.Thr, Pattern: "pushpull", Transport: "inproc", Size: 64, Mode: "batch", Impl: impl}
		tally := NewTally(cell)
		r, err := Measure(t.Context(), cell, record.Method{Duration: time.Millisecond}, tally)
		require.NoError(t, err)
		require.GreaterOrEqual(t, r.Messages, int64(100_000))
		require.Equal(t, r.Messages*64, r.Bytes)
		require.Positive(t, r.Rate())
		require.Equal(t, r.Messages, tally.Count())
	}
}

// Round trips in Go and in C have the same meter beside them: one that looked less often
// would disturb less, and see less of what disturbs.
func TestTheMeterIsThatOfTheVerb(t *testing.T) {
	t.Parallel()
	for _, impl := range []string{"go", "c"} {
		cell := lat("dealerdealer", "inproc")
		cell.Impl = impl
		// A machine that stalls looks as seldom as a meter that naps for long. That passes.
		require.Eventually(t, func() bool {
			begin := time.Now()
			r, err := Measure(t.Context(), cell, record.Method{Duration: 300 * time.Millisecond}, nil)
			if !assert.NoError(t, err) {
				return true
			}
			seen := r.Latency[record.Machine]
			late := time.Duration(seen.Mean * float64(seen.Count))
			return seen.Count > int64((time.Since(begin)-late)/pace.LongNap)+1
		}, time.Minute, time.Millisecond, impl)
	}
}

// GOMAXPROCS is what it was when a run has ended.
func TestPaces(t *testing.T) { // not parallel: GOMAXPROCS is the process's
	before := runtime.GOMAXPROCS(0)
	for _, name := range []string{Spin, Sleep} {
		method := short
		method.Pace = name
		r, err := Measure(t.Context(), openLoop("dealerrouter", "tcp", 2000), method, nil)
		require.NoError(t, err)
		require.EqualValues(t, 100, r.Due, name)
		require.Equal(t, before, runtime.GOMAXPROCS(0))
	}
}

// Observers allocate nothing while it is measured.
func TestTallyAllocatesItsMemoryBefore(t *testing.T) { // not parallel: allocations are the process's
	tally := NewTally(lat("pair", "inproc"))
	require.Nil(t, tally.State().Latency)
	require.Zero(t, testing.AllocsPerRun(10, func() { tally.observe(time.Millisecond, 64) }))
	require.EqualValues(t, 11, tally.State().Latency.TotalCount())
	require.EqualValues(t, 11*64, tally.State().Bytes)
	var none *Tally
	none.Add(1, 1)
	none.observe(1, 1)
}

func TestOptions(t *testing.T) {
	t.Parallel()
	list, err := Options(map[string]string{"RCVBUF": "1000", "HWM": "0"})
	require.NoError(t, err)
	require.Equal(t, "HWM=0,RCVBUF=1000", list)
	for _, bad := range []map[string]string{{"LINGER": "1"}, {"HWM": "many"}, {"IO_THREADS": "0"}, {"HWM": "-1"}} {
		_, err := Options(bad)
		require.Error(t, err)
	}
}

// SUB and DISH have no SendHWM: there it is left out.
func TestOptionsOfSubscribers(t *testing.T) {
	t.Parallel()
	options, err := Settings("RCVHWM=7,SNDHWM=6")
	require.NoError(t, err)
	zctx, err := zmq.NewContext(options...)
	require.NoError(t, err)
	defer zctx.Close()
	for typ, want := range map[zmq.SocketType]int{zmq.Sub: 0, zmq.Pub: 6} {
		s, err := zctx.NewSocket(typ)
		require.NoError(t, err)
		send, err := zmq.SendHWM.Get(s)
		require.NoError(t, err)
		require.Equal(t, want, send)
		receive, err := zmq.RecvHWM.Get(s)
		require.NoError(t, err)
		require.Equal(t, 7, receive)
	}
}
