package role

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
)

// What excuses a load that did not go through is what the machine did while it was offered,
// not while peers were waited for.
func TestTheMeterIsToldWhenALoadIsOffered(t *testing.T) {
	t.Parallel()
	// A meter that comes to run when all is over has seen nothing.
	require.Eventually(t, func() bool {
		h := pace.StartHiccups()
		res := &Result{hiccups: h}
		r := &plan.Role{Arrivals: pace.Uniform, Rate: 1000, Duration: 20 * time.Millisecond}
		p, _, err := pacer(r, res)
		if !assert.NoError(t, err) {
			return true
		}
		for pace.Now() < p.End {
			runtime.Gosched()
		}
		offered(r, res, pace.Counts{Due: 20, Sent: 10}, 0)
		end := pace.Now()
		h.Stop()
		assert.LessOrEqual(t, h.Longest(), end-p.Start)
		return h.Longest() > 0
	}, time.Minute, time.Millisecond)
}
