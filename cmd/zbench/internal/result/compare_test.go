package result_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/result"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	old := data(thr(thrCell("tcp", 64), 500, 501, 502, 503, 504, 505), thr(thrCell("ipc", 64), 500, 501, 502, 503, 504, 505))
	now := data(thr(thrCell("tcp", 64), 600, 601, 602, 603, 604, 605), thr(thrCell("ipc", 64), 500, 501, 502, 503, 504, 505))
	now.Runs[0].Warnings = []string{"a sleeping thread woke up 6ms late"}
	gate := mustGate(t, "msg/s:-5%")
	c, err := result.Compare(old, now, []result.Gate{gate})
	require.NoError(t, err)
	table := c.Table(false)
	got := table.In("text")
	require.Regexp(t, `(?m)^tcp +msg/s +1\.99 M +1\.66 M +-16\.\d % +\d\.\d % +WORSE FAIL msg/s:-5%$`, got)
	require.Regexp(t, `(?m)^ipc +msg/s +1\.99 M +1\.99 M +0 % +\d\.\d %$`, got, "beside what could have been seen")
	require.Contains(t, got, "6 runs: thr pushpull 64 batch\n")
	require.Contains(t, got, "disturbed by the machine: 0 of 12 old and 1 of 12 new runs")
	require.Equal(t, record.Missed, record.ExitCode(c.Check([]result.Gate{gate})))
	for line := range strings.Lines(got) {
		require.LessOrEqual(t, len([]rune(line)), 80+len("\n"), line)
	}

	c, err = result.Compare(old, old, []result.Gate{gate})
	require.NoError(t, err)
	require.NoError(t, c.Check([]result.Gate{gate}))
}

// session simulates a result of equal systems: each measurement has a level of its own, which
// the machine gives it, wanders while it is made, and has noise, of which the tail of a
// latency has most. One run in ten is disturbed.
func session(t *testing.T, random *rand.Rand, level float64) *record.Data {
	t.Helper()
	level *= math.Exp(0.02 * random.NormFloat64())
	var all [][]record.Run
	for _, transport := range []string{"ipc", "tcp"} {
		var ns []float64
		var most []time.Duration
		for range 6 {
			level *= math.Exp(0.005 * random.NormFloat64())
			took := level * math.Exp(0.02*random.NormFloat64())
			if random.IntN(10) == 0 {
				took *= 1.3
			}
			ns = append(ns, 500*took)
			most = append(most, time.Duration(1e6*took*math.Exp(0.2*random.NormFloat64())))
		}
		runs := thr(thrCell(transport, 64), ns...)
		for i := range runs {
			runs[i].CPU = time.Duration(1500 * ns[i] * math.Exp(0.02*random.NormFloat64()))
			runs[i].Crossings = int64(900 + random.IntN(100))
		}
		all = append(all, runs, open(t, transport, 1000, false, most...))
	}
	return data(all...)
}

// Of 100 comparisons of equal systems at most five show a change.
func TestEqualResults(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(35, 5))
	flagged := 0
	for range 100 {
		c, err := result.Compare(session(t, random, 1), session(t, random, 1), nil)
		require.NoError(t, err)
		for _, ch := range c.Changes {
			if ch.Better != 0 {
				flagged++
				break
			}
		}
	}
	require.LessOrEqual(t, flagged, 5)
	c, err := result.Compare(session(t, random, 1), session(t, random, 1.4), nil)
	require.NoError(t, err)
	table := c.Table(false)
	require.Contains(t, table.In("text"), "WORSE", "a change is seen")
}

// No change is called better or worse that is smaller than what could have been seen, which
// each figure has beside it; many figures make chance finds, too.
func TestNothingBelowTheVisibleChange(t *testing.T) {
	t.Parallel()
	old := thr(thrCell("tcp", 64), 500, 501, 502, 503, 504, 505)
	now := thr(thrCell("tcp", 64), 516, 517, 518, 519, 520, 521)
	c, err := result.Compare(data(old), data(now), nil)
	require.NoError(t, err)
	require.Equal(t, "msg/s", c.Changes[0].Unit)
	require.Less(t, c.Changes[0].P, 0.05)
	require.Zero(t, c.Changes[0].Better, "3 % is what machines drift")

	noisy := env
	noisy.Doubts = []string{"virtual machine"}
	d := data(old)
	d.Envs = []record.Env{noisy}
	c, err = result.Compare(d, data(thr(thrCell("tcp", 64), 530, 531, 532, 533, 534, 535)), nil)
	require.NoError(t, err)
	require.Greater(t, c.Changes[0].Visible, 0.10)

	// Three measurements of each show how much they differ.
	many := func(levels ...float64) *record.Data {
		d := data()
		for i, l := range levels {
			runs := thr(thrCell("tcp", 64), l, l+1, l+2, l+3)
			for k := range runs {
				runs[k].Plan = string(rune('a' + i))
			}
			d.Runs = append(d.Runs, runs...)
		}
		return d
	}
	c, err = result.Compare(many(500, 503, 506), many(520, 523, 526), nil)
	require.NoError(t, err)
	require.Less(t, c.Changes[0].Visible, 0.03)
	require.Equal(t, -1, c.Changes[0].Better)
}

// A user may compare what differs in one respect, and is told in which.
func TestCompareAcross(t *testing.T) {
	t.Parallel()
	cell := thrCell("tcp", 64)
	secure := cell
	secure.Security = "curve"
	six := []float64{500, 501, 502, 503, 504, 505}
	slow := []float64{800, 801, 802, 803, 804, 805}
	library := data(thr(cell, slow...))
	library.Envs = []record.Env{record.NewEnv(machine.Info{CPU: "Model T", Cores: 8, GOMAXPROCS: 8, Go: "go1.26.8", Libzmq: "4.3.4", Zbench: "v1"})}
	for across, c := range map[string]struct {
		now  *record.Data
		want string
	}{
		"libzmq":   {library, "libzmq: 4.3.5, now 4.3.4"},
		"size":     {data(thr(thrCell("tcp", 80), slow...)), "size: 64, now 80"},
		"security": {data(thr(secure, slow...)), "security: null, now curve"},
	} {
		_, err := result.Compare(data(thr(cell, six...)), c.now, nil)
		require.Equal(t, record.Usage, record.ExitCode(err), across)
		require.ErrorContains(t, err, "--across "+across)
		compared, err := result.Compare(data(thr(cell, six...)), c.now, nil, across)
		require.NoError(t, err)
		table := compared.Table(false)
		require.Contains(t, table.In("text"), c.want)
		require.Contains(t, table.In("text"), "WORSE")
	}
	// Two commits of a server: nothing differs that zbench knows of.
	now := data(thr(cell, slow...))
	now.Runs[0].Method.Endpoint = "tcp://new:5555"
	compared, err := result.Compare(data(thr(cell, six...)), now, nil)
	require.NoError(t, err)
	require.Contains(t, compared.Differences, "endpoint: , now tcp://new:5555")
	_, err = result.Compare(data(thr(cell, six...)), data(thr(thrCell("tcp", 80), six...), thr(thrCell("tcp", 90), six...)), nil, "size")
	require.ErrorContains(t, err, "each result needs one value of it")
}
