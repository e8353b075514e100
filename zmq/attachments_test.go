package zmq

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAttachmentsByName(t *testing.T) {
	t.Parallel()
	a := newAttachments()
	a.add("tcp://lo:5555", "tcp://127.0.0.1:5555")
	a.add("tcp://127.0.0.1:5555", "tcp://127.0.0.1:5555")
	a.add("tcp://host:1", "tcp://10.0.0.1:1")
	a.add("tcp://host:1", "tcp://10.0.0.2:1") // it has another address now
	require.False(t, a.has("tcp://10.0.0.1:1"))
	a.drop("tcp://10.0.0.1:1")
	require.True(t, a.has("tcp://10.0.0.2:1"))
	a.drop("tcp://127.0.0.1:5555")
	require.Equal(t, map[string]string{"tcp://host:1": "tcp://10.0.0.2:1"}, a.names)
}

// The time to drop an endpoint does not depend on how many there are. Looking at all of them would
// take minutes here, not a fraction of a second.
func TestManyAttachments(t *testing.T) {
	t.Parallel()
	const n = 200_000
	a := newAttachments()
	for i := range n {
		a.add(strconv.Itoa(i), strconv.Itoa(i))
	}
	began := time.Now()
	for i := range n {
		require.Less(t, time.Since(began), time.Minute)
		a.drop(strconv.Itoa(i))
	}
	require.Empty(t, a.names)
}
