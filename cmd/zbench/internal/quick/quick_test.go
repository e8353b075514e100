package quick

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/workload"
)

func cell(impl workload.Impl, ns ...time.Duration) Cell {
	c := Cell{Spec: Plan{Messages: 10}.spec(64, workload.Batch, impl)}
	for _, d := range ns {
		c.Samples = append(c.Samples, workload.Result{Messages: 1000, Bytes: 64_000, Elapsed: 1000 * d})
	}
	return c
}

func TestText(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	floor := cell(workload.C, 250, 251, 500)
	floor.Stalls = 2
	Text(&b, Plan{Repeat: 3}, []Cell{cell(workload.Go, 510, 500, 490), floor})
	require.Equal(t, `ROUTER -> ROUTER over tcp loopback, median of 3

 MODE   SIZE   MSG/S   GB/S  NS/MSG  ALLOCS/MSG  C NS/MSG  % OF C 
──────────────────────────────────────────────────────────────────
 batch    64  2.00 M  0.128     500       0.000       251    50 % 

% of C: the speed of this binding, where 100 is the same loop in C on the same libzmq.
! 1 of 2 cells: repeats lie more than 25 % apart; stop other programs or use more --repeat
! runs that stood still for 100 ms or more: 2 (see BENCHMARKS.md); the medians leave them out
`, b.String())
}

func TestMedianAndSpread(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 300, cell(workload.Go, 200, 400).NsPerMessage(), 1e-9)
	require.InDelta(t, 200, cell(workload.Go, 900, 200, 100).NsPerMessage(), 1e-9)
	require.InDelta(t, 4, cell(workload.Go, 900, 200, 100).Spread(), 1e-9)
}

func TestEveryCellOfGoIsFollowedByItsFloor(t *testing.T) {
	t.Parallel()
	p := DefaultPlan()
	require.NoError(t, p.Validate())
	cells := p.cells()
	require.Len(t, cells, 2*len(p.Sizes)*len(workload.Modes()))
	for i := 0; i < len(cells); i += 2 {
		floor := cells[i].Spec
		floor.Impl = workload.C
		require.Equal(t, workload.Go, cells[i].Spec.Impl)
		require.Equal(t, floor, cells[i+1].Spec)
	}
}

// All that is wrong is said at once.
func TestValidate(t *testing.T) {
	t.Parallel()
	require.EqualError(t, Plan{Sizes: []int{64, 64, 4}, Messages: -1}.Validate(), `--repeat 0: use 1 to 1000
--messages -1: use 1 or more, or 0 to have it chosen
--sizes: 64 is there twice
--sizes: size 4: messages carry a number of 8 bytes; use 8 or more`)
	require.ErrorContains(t, Plan{Repeat: 1}.Validate(), "--sizes: no size given")
}

func TestRunShowsProgressAndStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	var seen []int
	_, err := Run(ctx, Plan{Sizes: []int{8}, Messages: 10, Repeat: 1}, func(done, all int, _ string) {
		seen = append(seen, done)
		require.Equal(t, 10, all)
		if done == 2 {
			cancel(enough)
		}
	})
	require.ErrorIs(t, err, enough)
	require.Equal(t, []int{0, 1, 2}, seen)
}
