package main

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRunFollowsThePlan(t *testing.T) {
	t.Parallel()
	marks := 0
	require.NoError(t, run(func() { marks++ }))
	require.Len(t, plan(), marks)
}

func TestPlanCountsEachStepOftenEnough(t *testing.T) {
	t.Parallel()
	times := map[string]int{}
	for _, step := range plan() {
		times[step]++
	}
	delete(times, "")
	for step, n := range times {
		require.Equal(t, rounds-1, n, step)
	}
	for _, step := range []string{
		"plain/send", "plain/recv", "batch/send", "batch/recv", "pooled/send", "pooled/recv",
		"message/send", "message/recv", "readahead/recv",
	} {
		require.Contains(t, times, step)
	}
}

const profile = `version: 1
creator: callgrind-3.19.0
positions: line
events: Ir

ob=/build/instructions
fl=send.go
fn=zmq.(*Socket).Send
15 7
cob=/lib/libzmq.so.5
cfi=zmq.cpp
cfn=zmq_send
calls=3 350
16 9000
17 5

ob=/lib/libzmq.so.5
fl=zmq.cpp
fn=zmq_send
350 9000

ob=/build/instructions
fl=shim.c
fn=try_send
0 30
`

func TestParseTakesOwnCostsOnly(t *testing.T) {
	t.Parallel()
	n, err := parse(strings.NewReader(profile), "/build/instructions")
	require.NoError(t, err)
	require.EqualValues(t, 7+5+30, n)
	n, err = parse(strings.NewReader(profile), "/build/other")
	require.NoError(t, err)
	require.Zero(t, n)
	_, err = parse(strings.NewReader("ob=/x\n15 7 3\n"), "/x")
	require.ErrorContains(t, err, "no position and cost")
}

func TestCheck(t *testing.T) {
	t.Parallel()
	old := table{madeWith: "go1 amd64", counts: map[string]float64{"plain/send": 1000, "plain/recv": 500}}
	for _, c := range []struct {
		name string
		now  map[string]float64
		fail string // what the error names
		says string
	}{
		{"same", map[string]float64{"plain/send": 1000, "plain/recv": 500}, "", "+0.0%"},
		{"a little more", map[string]float64{"plain/send": 1049, "plain/recv": 500}, "", "+4.9%"},
		{"a tenth more", map[string]float64{"plain/send": 1000, "plain/recv": 550}, "plain/recv", "grown"},
		{"less", map[string]float64{"plain/send": 900, "plain/recv": 500}, "", "better"},
		{"step gone", map[string]float64{"plain/send": 1000}, "plain/recv", "in the table only"},
		{"new step", map[string]float64{"plain/send": 1000, "plain/recv": 500, "new/send": 1}, "new/send", "in the program only"},
	} {
		var out bytes.Buffer
		err := old.check(table{madeWith: "go2 amd64", counts: c.now}, &out)
		if c.fail == "" {
			require.NoError(t, err, c.name)
		} else {
			require.ErrorContains(t, err, c.fail+": not as in the table", c.name)
		}
		require.Contains(t, out.String(), c.says, c.name)
		require.Contains(t, out.String(), "made with go1 amd64; this is go2 amd64", c.name)
	}
}

func TestTableIsReadAsWritten(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	before := table{madeWith: "go1 amd64, gcc 12", counts: map[string]float64{"a/send": 12.5, "b/recv": 1740.7}}
	require.NoError(t, before.write(&text))
	after, err := parseTable(&text)
	require.NoError(t, err)
	require.Equal(t, before.madeWith, after.madeWith)
	require.True(t, maps.Equal(before.counts, after.counts))
	_, err = parseTable(strings.NewReader("plain/send many\n"))
	require.ErrorContains(t, err, "no step and count")
}

func TestOwnCostWithoutProfile(t *testing.T) {
	t.Parallel()
	_, err := ownCost(t.TempDir()+"/none", "/build/instructions")
	require.ErrorContains(t, err, "did valgrind run")
}
