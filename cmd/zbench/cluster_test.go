package main_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// process is a zbench that runs. What it says is read as it comes.
type process struct {
	t    *testing.T
	cmd  *exec.Cmd
	out  bytes.Buffer
	name string

	mu    sync.Mutex
	lines []string
	read  sync.WaitGroup
}

// begin starts zbench. before, if there is any, is a command that starts it.
func begin(t *testing.T, before []string, env []string, args ...string) *process {
	t.Helper()
	p := prepare(t, before, env, args...)
	p.start()
	return p
}

func prepare(t *testing.T, before []string, env []string, args ...string) *process {
	t.Helper()
	self, err := exec.LookPath("zbench")
	require.NoError(t, err)
	words := append(append(before, self), args...)
	p := &process{t: t, cmd: exec.Command(words[0], words[1:]...), name: args[0]}
	// The race detector waits a second at the end of each process.
	p.cmd.Env = append(append(os.Environ(), "GORACE=atexit_sleep_ms=0"), env...)
	p.cmd.Stdout = &p.out
	return p
}

func (p *process) start() {
	p.t.Helper()
	errs, err := p.cmd.StderrPipe()
	require.NoError(p.t, err)
	require.NoError(p.t, p.cmd.Start())
	p.read.Go(func() {
		for s := bufio.NewScanner(errs); s.Scan(); {
			p.mu.Lock()
			p.lines = append(p.lines, s.Text())
			p.mu.Unlock()
		}
	})
	p.t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // the test may have ended early
	})
}

func (p *process) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.lines, "\n")
}

// says waits for a line, and returns what its parentheses match.
func (p *process) says(pattern string) (found []string) {
	p.t.Helper()
	re := regexp.MustCompile("(?m)" + pattern)
	require.Eventually(p.t, func() bool {
		found = re.FindStringSubmatch(p.said())
		return found != nil
	}, time.Minute, time.Millisecond, "%s said:\n%s", p.name, lazy(p.said))
	return found
}

// lazy is text that is made when it is printed.
type lazy func() string

func (l lazy) String() string { return l() }

// ends waits for the end, and requires an exit code.
func (p *process) ends(code int) {
	p.t.Helper()
	p.read.Wait()
	err := p.cmd.Wait()
	var failed *exec.ExitError
	if err != nil {
		require.True(p.t, errors.As(err, &failed), "%v", err)
	}
	require.Equal(p.t, code, p.cmd.ProcessState.ExitCode(), "%s said:\n%s\n%s", p.name, p.said(), p.out.String())
}

// coordinator starts one, and returns what agents are to join.
func coordinator(t *testing.T, args ...string) (p *process, join string) {
	t.Helper()
	p = begin(t, nil, nil, append([]string{"coordinator", "--listen", "tcp://127.0.0.1:*", "--join-timeout", "1m"}, args...)...)
	return p, p.says(`^zbench: waiting for \d agents at (tcp://.*)$`)[1]
}

// Agents are done when all is measured, and not when the coordinator has shown it,
// which may wait for who reads it.
func TestAgentsEndBeforeTheResults(t *testing.T) {
	t.Parallel()
	r, full, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	require.NoError(t, full.SetWriteDeadline(time.Now().Add(100*time.Millisecond)))
	filler, err := full.Write(make([]byte, 1<<24))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)

	c := prepare(t, nil, nil, "coordinator", "--listen", "tcp://127.0.0.1:*", "--join-timeout", "1m",
		"--expect", "2", "-s", "64", "-d", "200ms", "-w", "0s", "-r", "1", "--format", "csv")
	c.cmd.Stdout = full
	c.start()
	require.NoError(t, full.Close())
	join := c.says(`^zbench: waiting for \d agents at (tcp://.*)$`)[1]
	first, second := begin(t, nil, nil, "agent", "--join", join), begin(t, nil, nil, "agent", "--join", join)
	first.ends(0)
	second.ends(0)
	shown, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Contains(t, string(shown[filler:]), "pushpull")
	c.ends(0)
}

// Few messages are measured, and of one too few it is said: the receiver's complaint
// comes before the sender has ended.
func TestFewMessages(t *testing.T) {
	t.Parallel()
	for count, code := range map[string]int{"100": 0, "1": 1} {
		t.Run(count, func(t *testing.T) {
			t.Parallel()
			c, join := coordinator(t, "--expect", "2", "-s", "64", "-n", count, "-w", "0s", "-r", "1")
			first, second := begin(t, nil, nil, "agent", "--join", join), begin(t, nil, nil, "agent", "--join", join)
			c.ends(code)
			first.ends(0)
			second.ends(0)
			if code == 0 {
				require.Contains(t, c.out.String(), "done: 2 of 2 runs valid")
			} else {
				require.Contains(t, c.said(), "(receiver): thr pushpull tcp 64 batch 2 hosts: not one message came after the first; measure more of them (--count)")
			}
		})
	}
}

// A whole measurement: tables, records of all hosts, and a directory that other verbs
// take.
func TestCoordinatorAndAgents(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "results")
	c, join := coordinator(t, "--expect", "3", "-s", "64", "-d", "200ms", "-w", "50ms", "-r", "2", "-o", dir)
	var agents []*process
	for range 3 {
		agents = append(agents, begin(t, nil, nil, "agent", "--join", join))
	}
	c.ends(0)
	for _, a := range agents {
		a.ends(0)
	}
	require.Contains(t, c.out.String(), "agent-2: go")
	require.Contains(t, c.out.String(), "Throughput, one way")
	require.Contains(t, c.out.String(), "Round trips")
	require.Regexp(t, `(?m)^lat reqrep tcp 64 2:1 3 hosts: slowest agent-\d p99 .*, fastest agent-\d p99 .*; clocks known to `, c.out.String())

	data, err := record.Load(nil, dir)
	require.NoError(t, err)
	require.False(t, data.Partial())
	require.Len(t, data.Hosts, 3)
	require.Len(t, data.Runs, 4)
	text, err := os.ReadFile(filepath.Join(dir, record.FileName))
	require.NoError(t, err)
	requireFitting(t, string(text))
	for _, r := range data.Runs {
		require.True(t, r.Valid(), r.Invalid)
		require.Equal(t, 3, r.Cell.Hosts)
		require.Len(t, r.Agents, 3)
	}
	require.FileExists(t, filepath.Join(dir, "bench.txt"))
	require.FileExists(t, filepath.Join(dir, "report.html"))
}

// With --strict the agents' machines count, and not the coordinator's, which measures
// nothing: exit code 2, once they are known.
func TestStrictIsOfTheAgents(t *testing.T) {
	t.Parallel()
	// Fewer processors than busy threads are a doubt.
	c := begin(t, nil, []string{"GOMAXPROCS=1"}, "coordinator", "--listen", "tcp://127.0.0.1:*", "--join-timeout", "1m", "--expect", "2", "--strict", "-s", "64", "-d", "200ms")
	join := c.says(`^zbench: waiting for \d agents at (tcp://.*)$`)[1]
	first := begin(t, nil, []string{"GOMAXPROCS=1"}, "agent", "--join", join, "--name", "red")
	second := begin(t, nil, nil, "agent", "--join", join)
	c.ends(2)
	require.Regexp(t, `(?m)^zbench: --strict: red: .*processors: 1, busy threads: 3; `, c.said())
	require.Empty(t, c.out.String())
	for _, a := range []*process{first, second} {
		a.ends(1)
		require.Contains(t, a.said(), "the coordinator gave up: --strict: ")
	}
}

// An agent is killed in the middle of a run: exit code 1, and a message that names it.
func TestKilledAgent(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "results")
	c, join := coordinator(t, "--expect", "3", "--measure", "lat", "-s", "64", "-d", "1h", "--timeout", "1h", "-r", "2", "--yes", "-o", dir)
	agents := map[string]*process{}
	for _, name := range []string{"red", "green", "blue"} {
		agents[name] = begin(t, nil, nil, "agent", "--join", join, "--name", name)
		c.says("^zbench: " + name + " joined from ") // so red is first, and answers
	}
	for _, name := range []string{"green", "blue"} {
		agents[name].says(`: measures as client$`)
	}
	require.NoError(t, agents["green"].cmd.Process.Kill())
	c.ends(1)
	require.Regexp(t, `(?m)^zbench: green was lost: .*; it was client$|^zbench: green was lost: its connection has ended`, c.said())
	for _, name := range []string{"red", "blue"} {
		agents[name].ends(1)
		require.Contains(t, agents[name].said(), "the coordinator gave up: green was lost")
	}
	data, err := record.Load(nil, dir)
	require.NoError(t, err)
	require.Len(t, data.Runs, 1, "the second is not begun")
	require.Contains(t, data.Runs[0].Invalid, "green was lost: ")
	require.Equal(t, 1, data.Ends[0].Exit)
}

// With --on-lost go-on the others do the rest. The exit code is 1 all the same.
func TestGoOnWithoutAnAgent(t *testing.T) {
	t.Parallel()
	c, join := coordinator(t, "--expect", "3", "--on-lost", "go-on", "--measure", "lat", "-p", "dealerrouter", "-s", "64", "-n", "20", "-w", "0s", "-r", "300", "--json")
	first := begin(t, nil, nil, "agent", "--join", join, "--name", "red")
	c.says("^zbench: red joined from ")
	rest := []*process{
		begin(t, nil, nil, "agent", "--join", join),
		begin(t, nil, nil, "agent", "--join", join),
	}
	first.says(`: server at `)
	require.NoError(t, first.cmd.Process.Kill())
	c.says("^zbench: red was lost: ")
	require.NoError(t, c.cmd.Process.Signal(syscall.SIGTERM)) // 300 runs are many
	c.ends(143)
	for _, a := range rest {
		a.ends(1)
		require.Contains(t, a.said(), "the coordinator gave up: stopped by signal: terminated")
	}
}

// Also when it had no part in what is measured.
func TestGoOnWithoutASpareAgent(t *testing.T) {
	t.Parallel()
	c, join := coordinator(t, "--expect", "3", "--on-lost", "go-on", "--measure", "lat", "-p", "reqrep", "--peers", "1:1", "-s", "64", "-d", "1s", "-w", "0s", "-r", "3")
	rest := []*process{begin(t, nil, nil, "agent", "--join", join), begin(t, nil, nil, "agent", "--join", join)}
	c.says(", 2 of 3$")
	spare := begin(t, nil, nil, "agent", "--join", join, "--name", "red")
	require.Eventually(t, func() bool { return strings.Contains(rest[0].said()+rest[1].said(), ": measures as client") }, time.Minute, time.Millisecond)
	require.NoError(t, spare.cmd.Process.Kill())
	c.ends(1)
	require.Contains(t, c.out.String(), "done: 3 of 3 runs valid")
	require.Contains(t, c.said(), "red was lost: ")
	for _, a := range rest {
		a.ends(0)
	}
}

// Signals: an agent's says so to the coordinator, the coordinator's ends all.
func TestSignals(t *testing.T) {
	t.Parallel()
	c, join := coordinator(t, "--expect", "2", "--measure", "lat", "-s", "64", "-d", "1h", "--timeout", "1h", "--yes")
	a := begin(t, nil, nil, "agent", "--join", join, "--name", "red")
	c.says("^zbench: red joined")
	b := begin(t, nil, nil, "agent", "--join", join, "--name", "green")
	b.says(`: measures as client$`)
	require.NoError(t, b.cmd.Process.Signal(syscall.SIGINT))
	b.ends(130)
	c.ends(1)
	require.Contains(t, c.said(), "green was lost: it ended: stopped by signal: interrupt")
	a.ends(1)

	c, join = coordinator(t, "--expect", "2")
	a = begin(t, nil, nil, "agent", "--join", join, "--name", "red")
	c.says("^zbench: red joined")
	require.NoError(t, c.cmd.Process.Signal(syscall.SIGINT))
	c.ends(130)
	a.ends(1)
}

// What is late or of another version is told why, and what it is told is exit code 2.
func TestUnwantedAgent(t *testing.T) {
	t.Parallel()
	c, join := coordinator(t, "--expect", "2", "--measure", "lat", "-s", "64", "-d", "1h", "--timeout", "1h", "--yes")
	a := begin(t, nil, nil, "agent", "--join", join)
	b := begin(t, nil, nil, "agent", "--join", join)
	c.says("2 of 2$")
	late := begin(t, nil, nil, "agent", "--join", join)
	late.ends(2)
	require.Contains(t, late.said(), "zbench: the coordinator refuses this agent: busy: the coordinator has its 2 agents")
	require.NoError(t, c.cmd.Process.Signal(syscall.SIGINT))
	c.ends(130)
	a.ends(1)
	b.ends(1)
}

// The pods of a Job: index 0 leads, and its standard output is all that a report needs.
func TestPods(t *testing.T) {
	t.Parallel()
	plan := filepath.Join(t.TempDir(), "plan.yaml")
	require.NoError(t, os.WriteFile(plan, []byte("measure: lat\nsize: 64\ncount: 50\nwarmup: 0s\nrepeat: 1\ntransport: [inproc, tcp]\n"), 0o644))
	// The port is the Service's, and fixed: this one was free a moment ago.
	port := freePort(t)
	var pods []*process
	for _, index := range []string{"1", "0", "2"} {
		pods = append(pods, begin(t, nil, []string{"JOB_COMPLETION_INDEX=" + index, "POD_IP=127.0.0.1", "NODE_NAME=node-" + index},
			"pod", "--plan="+plan, "--peers=3", "--join=tcp://127.0.0.1:"+port, "--tcp-only"))
	}
	for _, p := range pods {
		p.ends(0)
	}
	require.Contains(t, pods[1].said(), "Round trips")
	data := &record.Data{}
	require.NoError(t, data.Read("the logs", strings.NewReader(pods[1].said()+"\n"+pods[1].out.String())))
	requireFitting(t, pods[1].out.String())
	require.Len(t, data.Runs, 1)
	require.Len(t, data.Hosts, 2)
	for _, h := range data.Hosts {
		require.Equal(t, strings.Replace(h.Agent, "agent", "node", 1), h.Node)
		require.Contains(t, pods[1].said(), h.Agent+" on "+h.Node+": ")
	}
	require.False(t, data.Partial())
}
