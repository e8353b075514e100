package cluster

import (
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// The histogram of a run on many hosts is that of all latencies together, however they
// are spread over agents, and so are its percentiles.
func TestMergedIsUnion(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		union := record.NewHistogram()
		var all []outcome
		messages := int64(0)
		for range rapid.IntRange(1, 5).Draw(t, "agents") {
			h := record.NewHistogram()
			for _, d := range rapid.SliceOfN(rapid.Int64Range(0, int64(time.Hour)), 1, 200).Draw(t, "latencies") {
				record.Observe(h, time.Duration(d))
				record.Observe(union, time.Duration(d))
			}
			l, err := record.NewLatency(h)
			require.NoError(t, err)
			messages += h.TotalCount()
			all = append(all, outcome{role: record.Client, run: record.Run{
				Messages: h.TotalCount(), Latency: map[string]*record.Latency{record.RTT: l},
			}})
		}
		r, err := merge(record.Cell{Verb: record.Lat}, all)
		require.NoError(t, err)
		require.Equal(t, messages, r.Messages)
		got, err := r.Main().Histogram()
		require.NoError(t, err)
		require.True(t, same64(union, got))
		for _, p := range record.Percentiles {
			require.EqualValues(t, union.ValueAtPercentile(p), r.Main().Percentile(p))
		}
		require.Equal(t, union.Max(), r.Main().Max)
		require.InEpsilon(t, union.Mean()+1, r.Main().Mean+1, 1e-9)
	})
}

// same64 reports whether histograms have the same counts.
func same64(a, b *hdr.Histogram) bool {
	x, y := a.Distribution(), b.Distribution()
	counts := func(bars []hdr.Bar) map[int64]int64 {
		m := map[int64]int64{}
		for _, bar := range bars {
			if bar.Count > 0 {
				m[bar.From] = bar.Count
			}
		}
		return m
	}
	m, n := counts(x), counts(y)
	if len(m) != len(n) {
		return false
	}
	for from, count := range m {
		if n[from] != count {
			return false
		}
	}
	return true
}

// What of messages that were lost, or came twice, is a failure, and how many is said.
func TestMergedStreams(t *testing.T) {
	t.Parallel()
	cell := record.Cell{Verb: record.Thr, Pattern: "pushpull"}
	parts := func(sent, came int64) []outcome {
		return []outcome{
			{agent: "a", role: record.Receiver, total: came, run: record.Run{Messages: came - 10, Elapsed: time.Second, Warnings: []string{"slow"}}},
			{agent: "b", role: record.Sender, total: sent, took: time.Second},
		}
	}
	r, err := merge(cell, parts(100, 100))
	require.NoError(t, err)
	require.EqualValues(t, 90, r.Messages)
	require.InDelta(t, 100, r.SendRate(), 0.01)
	require.Equal(t, []string{"a: slow"}, r.Warnings)
	require.Len(t, r.Agents, 2)
	require.EqualValues(t, 100, r.Agents[1].Messages)

	r, err = merge(cell, parts(100, 98))
	require.ErrorContains(t, err, "100 messages were sent and 98 came")
	require.EqualValues(t, 2, r.Lost)
	r, err = merge(cell, parts(100, 101))
	require.Error(t, err)
	require.EqualValues(t, 1, r.Doubled)
}

// One agent whose load does not go through saturates the run.
func TestMergedSaturation(t *testing.T) {
	t.Parallel()
	r, err := merge(record.Cell{Verb: record.Lat, Rate: 100}, []outcome{
		{role: record.Client, run: record.Run{Messages: 1000, Due: 1000, Planned: time.Second, Elapsed: time.Second}},
		{role: record.Client, run: record.Run{Messages: 5, Due: 10, Planned: time.Second, Elapsed: 2 * time.Second, Saturated: true}},
	})
	require.NoError(t, err)
	require.True(t, r.Saturated)
	require.Equal(t, 2*time.Second, r.Elapsed)
	require.EqualValues(t, 1010, r.Due)
}

// Roles: all senders, all of the rate and of the count are somebody's, and nobody has
// two parts.
// One way would be timed by two clocks, whatever the pattern.
func TestOneWayIsRefused(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"pushpull", "scattergather", "radiodish"} {
		cell := lat(pattern, 1)
		cell.Rate = 1000
		problems := Check([]record.Cell{cell, cell}, 2)
		require.Len(t, problems, 1)
		require.ErrorContains(t, problems[0], "lat with pattern "+pattern+" and agents: one way would be timed by two clocks")
	}
	require.Empty(t, Check([]record.Cell{lat("dealerrouter", 1), lat("clientserver", 1)}, 2))
}

func TestRoles(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		agents := rapid.IntRange(2, 20).Draw(t, "agents")
		cell := record.Cell{
			Verb: rapid.SampledFrom([]string{record.Lat, record.Thr}).Draw(t, "verb"), Rate: 1000,
			Receivers: rapid.IntRange(0, 5).Draw(t, "receivers"), Senders: rapid.IntRange(0, 50).Draw(t, "senders"),
		}
		count := rapid.IntRange(0, 1000).Draw(t, "count")
		parts, err := roles(cell, record.Method{Count: count, Seed: 7}, agents)
		receivers, senders := max(cell.Receivers, 1), max(cell.Senders, 1)
		if agents < 2*receivers || senders < receivers {
			require.Error(t, err)
			return
		}
		require.NoError(t, err)
		require.LessOrEqual(t, len(parts), agents)
		seen := map[int]bool{}
		seeds := map[uint64]bool{}
		sum, expected, rate, counted := 0, 0, 0.0, 0
		for i, p := range parts {
			require.False(t, seen[p.agent])
			seen[p.agent] = true
			if i < receivers {
				expected += p.assignment.Senders
				require.Positive(t, p.assignment.Senders)
				continue
			}
			require.Less(t, p.to, receivers)
			require.Positive(t, p.assignment.Cell.Senders)
			require.False(t, seeds[p.assignment.Method.Seed])
			seeds[p.assignment.Method.Seed] = true
			sum += p.assignment.Cell.Senders
			rate += p.assignment.Cell.Rate
			counted += p.assignment.Method.Count
		}
		require.Equal(t, senders, sum)
		require.Equal(t, senders, expected)
		require.InEpsilon(t, 1000, rate, 1e-9)
		require.GreaterOrEqual(t, counted, count)
		require.Equal(t, count > 0, counted > 0)
	})
}

// The estimate of a clock is never further off than its error, however unequal the
// ways there and back.
func TestEstimate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		truth := time.Duration(rapid.Int64Range(-int64(time.Hour), int64(time.Hour)).Draw(t, "offset"))
		now := time.Unix(1e9, 0)
		var all []exchange
		least := time.Duration(1 << 62)
		for range rapid.IntRange(1, 10).Draw(t, "exchanges") {
			there := time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "there"))
			back := time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "back"))
			all = append(all, exchange{asked: now, theirs: now.Add(there + truth), answered: now.Add(there + back)})
			least = min(least, there+back)
			now = now.Add(time.Minute)
		}
		c := estimate(all)
		require.LessOrEqual(t, (c.Offset - truth).Abs(), c.Error)
		require.Equal(t, (least+1)/2, c.Error)
	})
}

// Whatever somebody sends is no reason to fail.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"Kind":"hello","Versions":{"Protocol":1}}`))
	f.Add([]byte("\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := decode(data)
		if err == nil {
			_, err = encode(m)
			require.NoError(t, err)
		}
	})
}
