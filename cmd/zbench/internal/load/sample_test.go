package load

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// Of each n messages one is timed, and each of the n as often as any other.
func TestSampler(t *testing.T) {
	t.Parallel()
	const n, blocks = 8, 8000
	m := record.Method{Sample: n, Seed: 1}
	s, same, other := newSampler(m, 0), newSampler(m, 0), newSampler(m, 1)
	differ := 0
	at := make([]int, n)
	for range blocks {
		timed := 0
		for i := range n {
			chosen := s.next()
			require.Equal(t, chosen, same.next())
			if chosen {
				timed++
				at[i]++
			}
			if chosen != other.next() {
				differ++
			}
		}
		require.Equal(t, 1, timed)
	}
	for i := range at {
		require.InDelta(t, blocks/n, at[i], blocks/n/4, "number %d", i)
	}
	require.Greater(t, differ, blocks/2, "clients have numbers of their own")

	all := newSampler(record.Method{}, 0)
	for range 10 {
		require.True(t, all.next())
	}
}

// What is timed does not depend on where in its batch a message is: a count that is no
// multiple of the share has as many, or one more.
func TestSampledRoundTrips(t *testing.T) {
	t.Parallel()
	method := short
	method.Sample = 8
	for _, cell := range []record.Cell{lat("dealerrouter", "inproc"), openLoop("dealerrouter", "inproc", 2000)} {
		r, err := Measure(t.Context(), cell, method) // 50 messages
		require.NoError(t, err)
		require.EqualValues(t, 50, r.Messages)
		require.Contains(t, []int64{6, 7}, r.Main().Count)
		if cell.Open() {
			require.Equal(t, r.Main().Count, r.Latency[record.Pacer].Count, "the same messages")
		}
	}
}
