package result_test

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/result"
)

func example(t *testing.T) (record.Env, []record.Run) {
	t.Helper()
	env := record.NewEnv(machine.Info{CPU: "Model T", GOMAXPROCS: 2})
	h := record.NewHistogram()
	record.Observe(h, time.Millisecond)
	l, err := record.NewLatency(h)
	require.NoError(t, err)
	lat := record.Run{
		Cell: record.Cell{Verb: record.Lat, Pattern: "dealerrouter", Transport: "tcp", Size: 64, Impl: "go", Rate: 1000, Arrivals: "uniform"},
		Env:  env.ID, Repeat: 1, Messages: 1000, Elapsed: time.Second, Due: 1000, Start: time.Unix(1_800_000_000, 0).UTC(),
		Latency: map[string]*record.Latency{record.Due: l, record.Sent: l},
	}
	thr := record.Run{
		Cell: record.Cell{Verb: record.Thr, Pattern: "pushpull", Transport: "tcp", Size: 64, Mode: "batch", Impl: "go"},
		Env:  env.ID, Repeat: 1, Messages: 1000, Bytes: 64_000, Elapsed: time.Millisecond,
	}
	failed := thr
	failed.Invalid = "interrupted"
	return env, []record.Run{lat, thr, failed}
}

func TestDirectory(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b")
	env, runs := example(t)
	for i := range 3 {
		d, err := result.Open(dir, i == 1) // the second time it is added to, the third replaced
		require.NoError(t, err)
		id := string(rune('p' + i))
		require.NoError(t, d.Plan(record.Plan{ID: id}))
		require.NoError(t, d.Env(env))
		for _, r := range runs {
			require.NoError(t, d.Run(r))
		}
		// What is there so far is whole, whenever the work is killed.
		data, err := record.Load(nil, dir)
		require.NoError(t, err)
		require.True(t, data.Partial())
		require.NoError(t, d.End(record.End{Plan: id, Complete: true}))
		require.NoError(t, d.Close())

		data, err = record.Load(nil, dir)
		require.NoError(t, err)
		require.False(t, data.Partial())
		require.Len(t, data.Runs, []int{3, 6, 3}[i])
	}
	for _, name := range []string{"bench.txt", "summary.csv", "env.json"} {
		require.FileExists(t, filepath.Join(dir, name))
	}

	// The histograms are read by what reads such logs.
	log, err := os.ReadFile(filepath.Join(dir, "hist", "lat_dealerrouter_tcp_64_at_1000_s.hlog"))
	require.NoError(t, err)
	reader := hdr.NewHistogramLogReader(bytes.NewReader(log))
	var tags []string
	for {
		h, err := reader.NextIntervalHistogram()
		require.NoError(t, err)
		if h == nil {
			break
		}
		tags = append(tags, h.Tag())
		require.EqualValues(t, 1, h.TotalCount())
	}
	require.Equal(t, []string{"due", "sent"}, tags)
}

// What is written as benchmarks is read by the libraries of benchstat without a
// complaint, and has all that is valid.
func TestBench(t *testing.T) {
	t.Parallel()
	env, runs := example(t)
	var out bytes.Buffer
	require.NoError(t, result.Bench(&out, &record.Data{Envs: []record.Env{env}, Runs: runs}))
	reader := benchfmt.NewReader(&out, "bench.txt")
	found := map[string]float64{}
	for reader.Scan() {
		switch r := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			require.Fail(t, r.Error())
		case *benchfmt.Result:
			require.Len(t, r.Config, 1, "benchstat keeps tables apart by configuration")
			for _, unit := range []string{"msg/s", "sec/msg", "p99-sec", "allocs/msg"} {
				if v, ok := r.Value(unit); ok {
					found[r.Name.String()+" "+unit] = v
				}
			}
		case *benchfmt.UnitMetadata:
			require.Equal(t, "better", r.Key)
		}
	}
	require.NoError(t, reader.Err())
	require.InEpsilon(t, 1e6, found["Receive/pattern=pushpull/transport=tcp/size=64/mode=batch/impl=go-2 msg/s"], 1e-9)
	require.InEpsilon(t, 1e-6, found["Receive/pattern=pushpull/transport=tcp/size=64/mode=batch/impl=go-2 sec/msg"], 1e-9)
	require.InEpsilon(t, 1e-3, found["OpenLoop/pattern=dealerrouter/transport=tcp/size=64/rate=1000/impl=go-2 p99-sec"], 1e-3)
}

func TestCSV(t *testing.T) {
	t.Parallel()
	env, runs := example(t)
	var out bytes.Buffer
	require.NoError(t, result.CSV(&out, &record.Data{Envs: []record.Env{env}, Runs: runs}))
	rows, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 3)
	at := func(row int, head string) string {
		for i, h := range rows[0] {
			if h == head {
				return rows[row][i]
			}
		}
		return "no column " + head
	}
	require.Equal(t, "1000", at(1, "rate"))
	require.Equal(t, "1000000", at(2, "msg/s"))
	require.Equal(t, "", at(2, "p99-ns"))
	require.Equal(t, "1", at(2, "invalid"))
}
