package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// A record of the machine says what the text says: how late a thread woke up, and what
// that means for numbers.
func TestEnvIsJudged(t *testing.T) {
	t.Parallel()
	late := record.NewHistogram()
	record.Observe(late, time.Microsecond)
	record.Observe(late, time.Second)
	info := machine.Info{Cores: 8, GOMAXPROCS: 8}
	e := judged(info, timing{late: late, clock: 30})
	require.Equal(t, machine.Unpublishable, e.Verdict)
	require.Len(t, e.Doubts, 1)
	require.Contains(t, e.Doubts[0], "a sleeping thread woke up 1.0")
	require.Equal(t, time.Duration(30), e.Clock)
	require.Equal(t, time.Microsecond, e.Late50)
	require.InEpsilon(t, time.Second, e.LateMax, 0.01)

	require.Equal(t, machine.Fine, judged(info, timing{late: record.NewHistogram()}).Verdict)
}
