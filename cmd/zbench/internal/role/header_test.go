package role

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
)

// A header that is written is read again, and nothing else is taken for one.
func TestHeader(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := header{
			shared: rapid.Bool().Draw(t, "shared"), end: rapid.Bool().Draw(t, "end"),
			number: rapid.Uint64Range(0, 1<<numberBits-1).Draw(t, "number"),
			sender: rapid.Uint32Range(1, 1<<32-1).Draw(t, "sender"),
		}
		p := make([]byte, plan.HeaderSize, 100)
		h.put(p)
		var got header
		if !got.read(p[:rapid.IntRange(plan.HeaderSize, 100).Draw(t, "length")]) || got != h {
			t.Fatalf("%+v, not %+v", got, h)
		}
	})
	var h header
	for _, p := range []string{"", "short", "text of more than twelve bytes", string(make([]byte, 64))} {
		require.False(t, h.read([]byte(p)), "%q", p)
	}
	require.NotZero(t, newSender(false).sender)
}
