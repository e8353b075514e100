package cli

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/cluster"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

func TestCoded(t *testing.T) {
	t.Parallel()
	require.NoError(t, coded(nil))
	for err, want := range map[error]int{
		&cluster.RefusedError{Why: "busy"}:        exitUsage,
		cluster.CheckBind("127.0.0.1", "1.2.3.4"): exitUsage,
		fmt.Errorf("%w: soon", cluster.ErrJoin):   exitUnfit,
		errors.New("anything else"):               exitFailed,
	} {
		require.Equal(t, want, exitCode(coded(err)), "%v", err)
	}
}

// Agents whose machines are quiet are taken; without --strict all are.
func TestStrictAgents(t *testing.T) {
	t.Parallel()
	c := newCoordination()
	hosts := []record.Host{{Agent: "a"}, {Agent: "b"}}
	envs := []record.Env{{}, {Doubts: []string{"a load; stop it", "a governor"}}}
	require.NoError(t, c.strict(hosts, envs))
	c.plan.Strict = true
	require.EqualError(t, c.strict(hosts, envs), "--strict: b: a load; stop it\n--strict: b: a governor")
	require.NoError(t, c.strict(hosts[:1], envs[:1]))
}

// The worst decides: what failed, what is not what was asked for, what is missed.
func TestOutcomeOrder(t *testing.T) {
	t.Parallel()
	o := outcome{failed: []string{"a run"}, saturated: []string{"a cell"}, noisy: []string{"a doubt"}, asked: "--publish", missed: []string{"an objective"}}
	require.Equal(t, exitFailed, exitCode(o.err()))
	o.failed = nil
	require.Equal(t, exitUnfit, exitCode(o.err()))
	require.ErrorContains(t, o.err(), "saturated")
	o.saturated = nil
	require.Equal(t, exitUnfit, exitCode(o.err()))
	require.ErrorContains(t, o.err(), "--publish: the numbers are not to be relied on")
	o.noisy = nil
	require.Equal(t, exitMissed, exitCode(o.err()))
	o.missed = nil
	require.Equal(t, exitOK, exitCode(o.err()))
}
