package record_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// A percentile of several runs or hosts never lies outside those of its parts.
func TestMergedPercentileLiesBetweenItsParts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SliceOfN(rapid.Int64Range(1, 1000), 1, 200), 2, 5).Draw(t, "parts")
		p := rapid.SampledFrom(record.Percentiles).Draw(t, "percentile")
		sum := hdr.New(1, 1000, 3)
		low, high := int64(math.MaxInt64), int64(0)
		for _, values := range parts {
			h := hdr.New(1, 1000, 3)
			for _, v := range values {
				require.NoError(t, h.RecordValue(v))
			}
			low, high = min(low, record.ValueAt(h, p)), max(high, record.ValueAt(h, p))
			sum.Merge(h)
		}
		require.GreaterOrEqual(t, record.ValueAt(sum, p), low)
		require.LessOrEqual(t, record.ValueAt(sum, p), high)
	})
}

// hosts are the records of a run of three hosts: one is fine, one started late, one was
// killed before its second run.
func hosts(t *testing.T) *record.Data {
	t.Helper()
	at := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	d := &record.Data{}
	for i, delay := range []time.Duration{0, 3 * time.Second, 0} {
		id := string(rune('a' + i))
		d.Plans = append(d.Plans, record.Plan{ID: id, Command: "lat", Repeat: 2, StartAt: at, Host: "host-" + id})
		for repeat := 1; repeat <= 2; repeat++ {
			if i == 2 && repeat == 2 {
				continue
			}
			r := exampleRun(t)
			r.Plan, r.Repeat, r.Start = id, repeat, at.Add(delay+time.Duration(repeat)*time.Millisecond)
			r.Latency = map[string]*record.Latency{record.Due: latency(t, time.Duration(i+1)*time.Millisecond)}
			d.Runs = append(d.Runs, r)
		}
		if i < 2 {
			d.Ends = append(d.Ends, record.End{Plan: id, Complete: true})
		}
	}
	return d
}

func TestMergeHosts(t *testing.T) {
	t.Parallel()
	d := hosts(t)
	problems, err := d.MergeHosts(4)
	require.NoError(t, err)
	require.Equal(t, []string{"host host-b started 3s late", "host host-c stopped early, after 1 run", "missing: 1 of 4 hosts"}, problems)

	require.Len(t, d.Runs, 2)
	all := d.Runs[0]
	require.Equal(t, 3000.0, all.Cell.Rate)
	require.Equal(t, 3, all.Cell.Senders)
	require.EqualValues(t, 9000, all.Messages)
	require.InDelta(t, 3000, all.Rate(), 1e-9, "rates are added up")
	require.EqualValues(t, 3, all.Main().Count)
	require.InEpsilon(t, 3e6, all.Main().Percentile(99), 0.01)
	require.Equal(t, 2000.0, d.Runs[1].Cell.Rate, "of the hosts that were left")
}

// Results that were not started together are repeats, and stay apart.
func TestMergeHostsLeavesRepeatsAlone(t *testing.T) {
	t.Parallel()
	d := hosts(t)
	for i := range d.Plans {
		d.Plans[i].StartAt = time.Time{}
	}
	problems, err := d.MergeHosts(0)
	require.NoError(t, err)
	require.Empty(t, problems)
	require.Len(t, d.Runs, 5)
	require.Equal(t, 1000.0, d.Runs[0].Cell.Rate)
}

// A file that is named twice is no second host, and no more runs.
func TestAResultIsReadOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.jsonl")
	f, err := os.Create(path)
	require.NoError(t, err)
	w := record.NewWriter(f)
	require.NoError(t, w.Write(record.Plan{ID: "a", Command: "lat", StartAt: time.Unix(1, 0)}))
	r := exampleRun(t)
	r.Plan = "a"
	require.NoError(t, w.Write(r))
	require.NoError(t, f.Close())
	_, err = record.Load(nil, path)
	require.NoError(t, err)
	_, err = record.Load(nil, path, path)
	require.ErrorContains(t, err, "a.jsonl:1: the result of plan a was read before: name each file once")
}
