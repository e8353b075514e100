package main_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var agree = flag.Bool("agree", false, "compare the medians of ten runs with those of the program in C; needs an idle machine")

// An independent program in C measures what zbench measures: round trips, and the rate of a
// sender at its receiver. On an idle machine, with -agree, the medians of ten interleaved runs
// are within 5 %:
//
//	go test . -run TestIndependentProgram -agree -v
func TestIndependentProgram(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("needs a C compiler")
	}
	program := filepath.Join(t.TempDir(), "independent")
	if out, err := exec.Command(cc, "-O2", "-pthread", "-o", program, "-I", "../../build/libzmq/include", "testdata/c/independent.c", "-l:libzmq.so.5").CombinedOutput(); err != nil {
		t.Skipf("needs libzmq and its headers, which scripts/libzmq.sh makes in build: %s", out)
	}
	runs := 1
	if *agree {
		runs = 10
	}
	var trips, rates [2][]float64 // of zbench, and of the program
	for range runs {
		trips[0] = append(trips[0], figureOf(t, zbench(t, "lat", "-d", "2s", "-r", "1", "-o", "-"), func(r result) float64 { return r.Latency["rtt"].P["50"] }))
		trips[1] = append(trips[1], number(t, exec.Command(program, "lat", "64", "30000")))
		ours, theirs := senderAndReceiver(t, program)
		rates[0], rates[1] = append(rates[0], ours), append(rates[1], theirs)
	}
	for name, of := range map[string][2][]float64{"round trip, ns": trips, "msg/s": rates} {
		ours, theirs := median(of[0]), median(of[1])
		t.Logf("%s: zbench %.0f, C %.0f, ratio %.3f, in %d runs", name, ours, theirs, ours/theirs, runs)
		if *agree {
			require.InEpsilon(t, theirs, ours, 0.05, name)
		}
	}
}

// senderAndReceiver returns the rate of zbench send, and that which its receiver in C saw.
func senderAndReceiver(t *testing.T, program string) (ours, theirs float64) {
	t.Helper()
	const count = 500_000
	at := free(t)
	c := exec.Command(program, "recv", at, strconv.Itoa(count))
	var out bytes.Buffer
	c.Stdout = &out
	require.NoError(t, c.Start())
	ours = figureOf(t, zbench(t, "send", "-e", at, "--raw", "-n", strconv.Itoa(count), "-o", "-"), func(r result) float64 {
		return float64(r.Messages) / r.Elapsed * 1e9
	})
	require.NoError(t, c.Wait())
	theirs, err := strconv.ParseFloat(strings.TrimSpace(out.String()), 64)
	require.NoError(t, err)
	return ours, theirs
}

// result is what the test reads of a run.
type result struct {
	Kind     string
	Messages int64
	Elapsed  float64 `json:"elapsed_ns"`
	Latency  map[string]struct{ P map[string]float64 }
}

// figureOf returns a figure of the run that a process writes.
func figureOf(t *testing.T, p *process, figure func(result) float64) float64 {
	t.Helper()
	p.exits(0)
	for line := range strings.Lines(p.out.String()) {
		var r result
		if json.Unmarshal([]byte(line), &r) == nil && r.Kind == "run" {
			return figure(r)
		}
	}
	require.Fail(t, "no run", p.out.String())
	return 0
}

// number returns the number that a program prints.
func number(t *testing.T, c *exec.Cmd) float64 {
	t.Helper()
	out, err := c.Output()
	require.NoError(t, err)
	v, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	require.NoError(t, err)
	return v
}

func median(values []float64) float64 {
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}
