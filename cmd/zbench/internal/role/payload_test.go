package role

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/zmq"
)

// A payload is the last parts of a message; one that has too few is refused.
func TestPayload(t *testing.T) {
	t.Parallel()
	b := zmq.NewBatch(1)
	defer b.Close()
	require.NoError(t, b.Append([]byte("topic"), []byte("abc"), []byte("defg")))
	m := b.At(0)
	for parts, want := range map[int]string{1: "defg", 2: "abcdefg", 3: "topicabcdefg", 4: "topicabcdefg"} {
		first, size := payload(m, parts)
		require.Equal(t, want[:len(first)], string(first))
		require.Len(t, want, size)
	}

	r := plan.NewRole(plan.Recv)
	r.Raw, r.Parts = true, 4
	v := &receiver{Role: r, live: &Tally{}, res: &Result{}, senders: map[uint32]*tracker{}, size: -2}
	_, err := v.take(b)
	require.EqualError(t, err, "a message has 3 parts, not the 4 of --parts")
	r.Parts = 2
	_, err = v.take(b)
	require.NoError(t, err)
}
