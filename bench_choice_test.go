//go:build unix

package gozmq_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/bench/suite"
)

// choiceNote is the first line of output when go test -bench=. runs the choice.
const choiceNote = `# -bench=. runs the ways to receive and the buffer strategies, about 3 minutes. -bench=Benchmark runs all benchmarks, -bench=NAME those of a name, -bench-matrix all cells.`

func TestMain(m *testing.M) {
	flag.Parse()
	if !suite.Named() {
		fmt.Println(choiceNote)
	}
	os.Exit(m.Run())
}

// A cell takes about a second, so the number of cells limits the time of go test -bench=.
func TestBenchDotRunsAChoice(t *testing.T) {
	t.Parallel()
	const most = 120 // cells of at most 1.5 s are three minutes
	program, err := os.Executable()
	require.NoError(t, err)
	bench := func(pattern string) (first string, cells int) {
		command := exec.Command(program, "-test.run=^$", "-test.bench="+pattern, "-test.benchtime=1x", "-bench-messages=64")
		output, err := command.CombinedOutput()
		require.NoError(t, err, "%s", output)
		first, _, _ = strings.Cut(string(output), "\n")
		return first, len(regexp.MustCompile(`(?m)^Benchmark`).FindAll(output, -1))
	}
	first, cells := bench(".")
	require.Equal(t, choiceNote, first)
	require.Greater(t, cells, most/2)
	require.LessOrEqual(t, cells, most)

	first, cells = bench("RoundTrip")
	require.NotEqual(t, choiceNote, first)
	require.Equal(t, 4, cells)
}
