package compare_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/compare"
)

// What is taken for a limit can be passed, and is shown as it was written.
func FuzzParseGate(f *testing.F) {
	for _, text := range []string{"msg/s:-5%", "allocs/op:+0", "p99-ns:10%", "x:+1", ":", "msg/s:-", "ns/op:+1e9%", "B/op:+-1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := compare.ParseGate(text)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.NotEmpty(t, g.Unit)
		require.GreaterOrEqual(t, g.Percent, 0.0)
		require.Equal(t, text, g.String())
	})
}
