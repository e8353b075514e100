package record

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// The exit code survives wrapping. Of several errors a failure comes first.
func TestExitCode(t *testing.T) {
	t.Parallel()
	few := Exitf(Unfit, "5 of 10 messages: %w", context.Canceled)
	require.ErrorIs(t, few, context.Canceled)
	failed := errors.New("failed")
	for want, errs := range map[int][]error{
		0:       {nil, errors.Join(nil, nil)},
		Failed:  {failed, fmt.Errorf("again: %w", failed), errors.Join(few, failed), errors.Join(failed, Exitf(Missed, "missed"))},
		Unfit:   {few, fmt.Errorf("run 1: %w", few), errors.Join(few), errors.Join(Exitf(Missed, "missed"), few)},
		NoPower: {Exitf(NoPower, "too few")},
	} {
		for _, err := range errs {
			require.Equal(t, want, ExitCode(err), "%v", err)
		}
	}
}
