package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// While a plan is measured its metrics are there, of each cell that was begun. (It
// ends by a signal, which is the process's, so no other test may run.)
func TestMetricsOfAPlan(t *testing.T) {
	for verb, args := range map[string]string{
		"thr":    "-t tcp -s 64,128 -d 200ms",
		"lat":    "-p dealerrouter -s 64 --rate 500 -d 200ms --pace sleep",
		"matrix": "--measure lat -t ipc -s 64 -d 200ms --sample 1/2",
		"curve":  "-s 64 --rates 500,600 -d 200ms --pace sleep",
	} {
		var out, errs lines
		ended := make(chan int)
		go func() {
			ended <- Main(append([]string{verb, "--metrics-addr", "127.0.0.1:0", "-w", "0s", "-r", "1000"}, strings.Fields(args)...), &out, &errs)
		}()
		address := regexp.MustCompile(`metrics on (\S+)/metrics`)
		require.Eventually(t, func() bool { return address.MatchString(errs.String()) }, time.Minute, 5*time.Millisecond)
		url := address.FindStringSubmatch(errs.String())[1] + "/metrics"
		shown := []*regexp.Regexp{regexp.MustCompile(`zbench_messages_total\{cell="[a-z]+ [^"]*",pattern="[a-z]+",plan="[0-9a-f]+",verb="` + verb + `"\} [1-9]`)}
		if verb != "thr" {
			// How long messages took is noted after that there were some.
			shown = append(shown, regexp.MustCompile(`zbench_latency_seconds\{cell="[^}]*quantile="0.99"\} `))
		}
		var text string
		require.Eventually(t, func() bool {
			text = get(t, url)
			return !slices.ContainsFunc(shown, func(r *regexp.Regexp) bool { return !r.MatchString(text) })
		}, time.Minute, 10*time.Millisecond, verb)
		for _, name := range []string{"zbench_offered_rate", "zbench_achieved_rate", "zbench_lost_total"} {
			require.Contains(t, text, name+`{cell="`, verb)
		}
		if verb == "lat" {
			require.Regexp(t, `zbench_offered_rate\{cell="[^}]*\} 500\n`, text)
		}
		require.NoError(t, syscall.Kill(syscall.Getpid(), syscall.SIGINT))
		require.Equal(t, 130, <-ended)
	}
}

func TestMetricsAddressInUse(t *testing.T) {
	var errs lines
	require.Equal(t, exitFailed, Main([]string{"lat", "--metrics-addr", "192.0.2.1:1"}, &lines{}, &errs))
	require.Contains(t, errs.String(), "--metrics-addr: listen tcp 192.0.2.1:1: ")
}

// A port that cannot be had leaves the results that were to be replaced as they are.
func TestMetricsAddressInUseKeepsResults(t *testing.T) {
	for _, args := range []string{"thr", "recv -e tcp://127.0.0.1:*"} {
		dir := t.TempDir()
		file := filepath.Join(dir, record.FileName)
		require.NoError(t, os.WriteFile(file, []byte("of yesterday\n"), 0o600))
		var errs lines
		all := append(strings.Fields(args), "--metrics-addr", "192.0.2.1:1", "-o", dir, "--force")
		require.Equal(t, exitFailed, Main(all, &lines{}, &errs), args)
		require.Contains(t, errs.String(), "--metrics-addr: listen tcp 192.0.2.1:1: ")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, "of yesterday\n", string(text), args)
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, entries, 1, args)
	}
}

// Where nothing is measured, nothing that is older passes for its result.
func TestForceLeavesNothingOfAnotherResult(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.MkdirAll(filepath.Join("out", "plots"), 0o755))
	for _, name := range []string{"report.html", "summary.md", "plots/latency.svg", "plots/mine.svg", "mine.txt"} {
		require.NoError(t, os.WriteFile(filepath.Join("out", name), []byte("of yesterday"), 0o600))
	}
	nothing := func(*measurement, context.Context) error { return nil }
	_, _, err := quiet().do(t, nothing, "-s", "64", "-o", "out", "--append")
	require.NoError(t, err)
	require.FileExists(t, filepath.Join("out", "report.html"))
	_, _, err = quiet().do(t, nothing, "-s", "64", "-o", "out", "--force")
	require.NoError(t, err)
	for _, name := range []string{"report.html", "summary.md", "plots/latency.svg"} {
		require.NoFileExists(t, filepath.Join("out", name))
	}
	for _, name := range []string{record.FileName, "plan.yaml", "bench.txt", "plots/mine.svg", "mine.txt"} {
		require.FileExists(t, filepath.Join("out", name))
	}
}

// Where nothing was measured, or an error ended it, a result does not pass for whole.
func TestAResultWithoutRunsIsPartial(t *testing.T) {
	t.Chdir(t.TempDir())
	gone := errors.New("an agent has gone")
	for name, act := range map[string]func(*measurement, context.Context) error{
		"nothing": func(*measurement, context.Context) error { return nil },
		"half": func(m *measurement, ctx context.Context) error {
			return errors.Join(keeping()(m, ctx), gone)
		},
	} {
		_, _, err := quiet().do(t, act, "-s", "64", "-o", name)
		if name == "half" {
			require.ErrorIs(t, err, gone)
		}
		text, err := os.ReadFile(filepath.Join(name, record.FileName))
		require.NoError(t, err)
		require.Contains(t, string(text), `"complete":false`, name)
	}
}

// quiet is a machine whose numbers can be relied on.
func quiet() host {
	return host{
		look: func() (machine.Info, error) {
			i, err := machine.Look()
			i.Zbench, i.CPU, i.Cores, i.GOMAXPROCS, i.Virtual, i.Load, i.Instrumented, i.Governor = "v1.0.0", "Model T", 8, 8, false, 0, "", ""
			return i, err
		},
		late: func(context.Context) time.Duration { return 0 },
	}
}

func (h host) do(t *testing.T, act func(*measurement, context.Context) error, args ...string) (out string, code int, err error) {
	t.Helper()
	return h.doVerb(t, plan.Thr, act, args...)
}

func (h host) doVerb(t *testing.T, verb string, act func(*measurement, context.Context) error, args ...string) (out string, code int, err error) {
	t.Helper()
	var b bytes.Buffer
	cmd := h.newMeasure(verb, "", "", act)
	cmd.SetArgs(args)
	cmd.SetOut(&b)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.ExecuteContext(t.Context())
	return b.String(), exitCode(err), err
}

// keeping measures nothing, and keeps a run with these warnings.
func keeping(warnings ...string) func(*measurement, context.Context) error {
	return func(m *measurement, _ context.Context) error {
		for i := range m.plan.Repeat {
			r := record.Run{Cell: m.cells[0], Repeat: i + 1, Messages: 1000, Elapsed: time.Second, Warnings: warnings}
			if err := m.keep(r, record.NewEnv(m.info)); err != nil {
				return err
			}
		}
		return nil
	}
}

// Warnings of runs are failures when that is asked for: exit code 3.
func TestStrict(t *testing.T) {
	t.Chdir(t.TempDir())
	_, code, err := quiet().do(t, keeping("the host took 5.0 % of the processors' time"), "-s", "64", "-o", "out", "--strict")
	require.Equal(t, exitUnfit, code)
	require.ErrorContains(t, err, "--strict: the numbers are not to be relied on")
	require.ErrorContains(t, err, "runs were disturbed: the host took 5.0 %")
	data, err := record.Load(nil, "out")
	require.NoError(t, err, "what was measured is kept")
	require.Equal(t, exitUnfit, data.Ends[0].Exit)
	_, code, err = quiet().do(t, keeping(), "-s", "64", "--strict")
	require.NoError(t, err)
	require.Equal(t, exitOK, code)
	_, code, _ = quiet().do(t, keeping("a warning"), "-s", "64")
	require.Equal(t, exitOK, code)

	// A spread that is wide is one, too.
	uneven := func(m *measurement, _ context.Context) error {
		for i := range m.plan.Repeat {
			r := record.Run{Cell: m.cells[0], Repeat: i + 1, Messages: 1000, Elapsed: time.Duration(i+1) * time.Second}
			if err := m.keep(r, record.NewEnv(m.info)); err != nil {
				return err
			}
		}
		return nil
	}
	_, code, err = quiet().do(t, uneven, "-s", "64", "--strict")
	require.Equal(t, exitUnfit, code)
	require.ErrorContains(t, err, "the confidence interval is ±")
}
