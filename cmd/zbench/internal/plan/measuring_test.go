package plan_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
)

// What is timed and shown is in the method, if it is not as always.
func TestMethod(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "data.json")
	require.NoError(t, os.WriteFile(file, []byte("{}"), 0o600))
	p, flags, err := read(t, plan.Lat, nil, "--percentiles", "50,99.5,p100", "--sample", "1/64", "--payload", file, "-n", "100")
	require.NoError(t, err)
	cells, err := p.Check(facts())
	require.NoError(t, err)
	require.Equal(t, "data.json", cells[0].Payload)
	m := p.Method(false)
	require.Equal(t, []float64{50, 99.5, 100}, m.Percentiles)
	require.Equal(t, 64, m.Sample)
	require.Equal(t, file, m.Payload)
	require.Zero(t, m.Duration)
	require.Empty(t, m.Pace)

	// The plan that is kept says the same.
	kept := filepath.Join(t.TempDir(), "plan.yaml")
	require.NoError(t, p.WriteFile(kept, flags))
	again, _, err := read(t, plan.Matrix, nil, "-f", kept)
	require.NoError(t, err)
	require.Equal(t, m, again.Method(false))
	require.Equal(t, p.Parts, again.Parts)

	p, _, err = read(t, plan.Lat, nil)
	require.NoError(t, err)
	require.Empty(t, p.Method(true).Percentiles)
	require.Zero(t, p.Method(true).Sample)
	require.Equal(t, "spin", p.Method(true).Pace)
}

// Each of several senders has enough to time one.
func TestSampleOfSeveralSenders(t *testing.T) {
	t.Parallel()
	p, _, err := read(t, plan.Lat, nil, strings.Fields("-n 100 --sample 1/34 --peers 3:1 -p dealerrouter")...)
	require.NoError(t, err)
	_, err = p.Check(facts())
	require.NoError(t, err)
}

func TestMeasuringFlags(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--percentiles 0":    `"0" is no percentile`,
		"--percentiles p101": `"p101" is no percentile`,
		"--percentiles x":    `"x" is no percentile`,
		"--sample 64":        `"64" is no share; write one in so many, such as 1/64`,
		"--sample 1/0":       `"1/0" is no share`,
		"--sample 1/1000001": "is no share",
		"--parts 0":          `"0" is no count`,
	} {
		_, flags, err := read(t, plan.Lat, nil)
		require.NoError(t, err)
		require.ErrorContains(t, flags.Parse(strings.Fields(args)), want)
	}
}
