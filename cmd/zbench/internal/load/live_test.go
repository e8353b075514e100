package load

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// Who looks on takes no memory while it is measured, and a scrape one copy of each
// cell's latencies.
func TestLiveTakesItsMemoryBefore(t *testing.T) { // not parallel: what is allocated is the process's
	const runs = 10
	l := &Live{}
	var tallies []*tally
	for i := range runs + 1 { // AllocsPerRun begins with one more
		cell := lat("pair", "inproc")
		cell.Size = i
		tallies = append(tallies, l.begin(cell))
	}
	for _, s := range l.Seen() {
		require.Nil(t, s.Latency, "there is none yet")
		require.Zero(t, s.Began)
	}
	i := 0
	require.Zero(t, testing.AllocsPerRun(runs, func() {
		tallies[i].starts()
		tallies[i].observe(time.Millisecond, 64)
		i++
	}))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	all := l.Seen()
	runtime.ReadMemStats(&after)
	require.Len(t, all, runs+1)
	require.EqualValues(t, 1, all[0].Latency.TotalCount())
	require.False(t, all[0].Began.IsZero())
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(len(all)*record.NewHistogram().ByteSize()*3/2))
}

// Throughput has no latencies, and needs no memory for them; what another process
// measured began when it did there.
func TestLiveOfOthers(t *testing.T) {
	t.Parallel()
	l := &Live{}
	cell := record.Cell{Verb: record.Thr, Pattern: "pushpull", Transport: "tcp", Size: 64, Impl: "go"}
	require.Nil(t, l.begin(cell).latency)
	cell.Engine = "another"
	l.Ended(&record.Run{Cell: cell, Messages: 7, Elapsed: time.Hour})
	all := l.Seen()
	require.Len(t, all, 2)
	require.Zero(t, all[0].Began)
	require.InDelta(t, time.Hour, time.Since(all[1].Began), float64(time.Minute))
}

// All that measures tells when its first message that counts was sent, which is after the
// warm-up.
func TestLiveBegins(t *testing.T) {
	t.Parallel()
	for _, cell := range []record.Cell{
		lat("pair", "inproc"), openLoop("pair", "inproc", 1000),
		{Verb: record.Lat, Pattern: "dealerdealer", Transport: "inproc", Size: 64, Impl: "c"},
		{Verb: record.Thr, Pattern: "pushpull", Transport: "inproc", Size: 64, Mode: "batch", Impl: "go"},
	} {
		l := &Live{}
		begin := time.Now()
		_, err := Measure(WithLive(t.Context(), l), cell, record.Method{Warmup: 100 * time.Millisecond, Count: 10, Pace: Sleep})
		require.NoError(t, err)
		require.GreaterOrEqual(t, l.Seen()[0].Began.Sub(begin), 100*time.Millisecond, cell.String())
	}
}
