package record

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFileNames(t *testing.T) {
	t.Parallel()
	cell := Cell{Verb: Thr, Pattern: "pushpull", Transport: "tcp", Size: 64, Mode: "batch", Impl: "go"}
	var names FileNames
	require.Equal(t, "thr_pushpull_tcp_64_batch", names.Of(cell))
	var got []string
	for _, engine := range []string{"a-b", "a_b", "A/b", "a+2"} {
		other := cell
		other.Engine = engine
		got = append(got, names.Of(other))
		require.Equal(t, got[len(got)-1], names.Of(other), "the same each time")
	}
	require.Len(t, got, 4)
	require.Equal(t, got[0]+"_2", got[1])
	require.NotEqual(t, got[1], got[2])
	require.Equal(t, "thr_pushpull_tcp_64_batch", names.Of(cell))
}
