package record_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

func TestParseObjective(t *testing.T) {
	t.Parallel()
	for text, c := range map[string]struct {
		unit      string
		met, miss float64
	}{
		"p99<1ms":       {"p99-ns", 999_999, 1e6},
		"p99.9 <= 1ms":  {"p99.9-ns", 1e6, 1e6 + 1},
		"msg/s>1e6":     {"msg/s", 1e6 + 1, 1e6},
		"msg/s >= 1.5M": {"msg/s", 1.5e6, 1.4e6},
		"lost=0":        {"lost", 0, 1},
		"allocs/msg<=0": {"allocs/msg", 0, 0.1},
		"mean<50us":     {"mean-ns", 49_000, 50_000},
		"cpu/msg<1us":   {"cpu-ns/msg", 999, 1000},
	} {
		o, err := record.ParseObjective(text)
		require.NoError(t, err, text)
		require.Equal(t, c.unit, o.Unit)
		require.True(t, o.Met(c.met), text)
		require.False(t, o.Met(c.miss), text)
	}
	for text, want := range map[string]string{
		"":          "is not an objective",
		"p99":       "is not an objective",
		"p99<":      "is not an objective",
		"p99<1":     `"1" is not a duration`,
		"p101<1ms":  `unknown figure "p101"`,
		"speed>1":   `unknown figure "speed"; use one of p50`,
		"msg/s>1ms": `"1ms" is not a number`,
		"lost=NaN":  `"NaN" is not a number`,
	} {
		_, err := record.ParseObjective(text)
		require.ErrorContains(t, err, want, text)
	}
}

func TestObjectiveOf(t *testing.T) {
	t.Parallel()
	s := record.Summary{Runs: []record.Run{{Cell: record.Cell{Verb: record.Thr}, Messages: 10, Elapsed: time.Second}}}
	o, err := record.ParseObjective("msg/s>1")
	require.NoError(t, err)
	v, ok := o.Of(&s)
	require.True(t, ok)
	require.InDelta(t, 10, v, 1e-9)
	o, err = record.ParseObjective("p99<1s")
	require.NoError(t, err)
	_, ok = o.Of(&s)
	require.False(t, ok)
}

func TestFormat(t *testing.T) {
	t.Parallel()
	for ns, want := range map[float64]string{0: "0 ns", 58_100: "58.1 µs", 999_600: "1.00 ms", 1.31e6: "1.31 ms", 212_000: "212 µs", 2.5e9: "2.50 s", 90e9: "90.0 s"} {
		require.Equal(t, want, record.Duration(ns))
	}
	for v, want := range map[float64]string{0: "0", 12: "12.0", 1234: "1.23 k", 4.21e6: "4.21 M", 999_900: "1.00 M"} {
		require.Equal(t, want, record.Number(v))
	}
}
