package main_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/cli"
	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/zmq"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"zbench": func() { os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr)) },
	})
}

// TestScript runs the scripts: what a user types, sees and gets as exit code.
func TestScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:       "testdata/script",
		Cmds:      map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "interrupted": interrupted, "stalled": stalled, "within": within},
		Condition: has,
		Setup: func(env *testscript.Env) error {
			// The library that the rest of the tests use.
			env.Setenv("GOZMQ_LIBRARY", os.Getenv("GOZMQ_LIBRARY"))
			// The race detector waits a second at the end of each process.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			return fitting(env)
		},
	})
}

// has is the condition for scripts that libzmq was built with something: [draft].
func has(name string) (bool, error) {
	if !slices.Contains([]string{"draft", "WS", "pgm"}, name) {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	return zmq.Has(name), nil
}

// interrupted is a command of the scripts: `interrupted 130 INT FILE TEXT zbench ...`
// runs the rest, sends it the signal when the file has the text, and succeeds when it
// exits with that code.
func interrupted(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 5 {
		ts.Fatalf("usage: interrupted code signal file text command...")
	}
	signals := map[string]os.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM}
	code, err := strconv.Atoi(args[0])
	ts.Check(err)
	cmd, ended := begin(ts, args[2], args[3], args[4:])
	ts.Check(cmd.Process.Signal(signals[args[1]]))
	<-ended
	if got := cmd.ProcessState.ExitCode(); got != code {
		ts.Fatalf("%v exited with %d, not %d", args[4:], got, code)
	}
}

// stalled is a command of the scripts: `stalled FILE TEXT zbench ...` runs the rest and,
// when the file has the text, stops the process three times for a while, as a busy machine
// does. It succeeds when the process does.
func stalled(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: stalled file text command...")
	}
	const stall, pause = 400 * time.Millisecond, 100 * time.Millisecond
	cmd, ended := begin(ts, args[0], args[1], args[2:])
	for range 3 {
		for _, step := range []struct {
			signal string
			long   time.Duration
		}{{"-STOP", stall}, {"-CONT", pause}} {
			ts.Check(exec.Command("kill", step.signal, strconv.Itoa(cmd.Process.Pid)).Run())
			time.Sleep(step.long)
		}
	}
	<-ended
	if !cmd.ProcessState.Success() {
		ts.Fatalf("%v: %v", args[2:], cmd.ProcessState)
	}
}

// begin starts a command and waits until a file has a text.
func begin(ts *testscript.TestScript, file, text string, args []string) (cmd *exec.Cmd, ended chan struct{}) {
	path, err := exec.LookPath(args[0])
	ts.Check(err)
	cmd = exec.Command(path, args[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = ts.MkAbs("."), ts.Stdout(), ts.Stderr()
	ts.Check(cmd.Start())
	ended = make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the code is looked at
	}()
	for {
		if got, err := os.ReadFile(ts.MkAbs(file)); err == nil && strings.Contains(string(got), text) {
			return cmd, ended
		}
		select {
		case <-ended:
			ts.Fatalf("%v ended before %s had %s", args, file, text)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// within is a command of the scripts: `within 10s zbench thr` runs the rest and succeeds
// when it does, in that time. A machine that is busy with other tests has three attempts.
// The race detector makes everything slower.
func within(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: within duration command...")
	}
	limit, err := time.ParseDuration(args[0])
	ts.Check(err)
	if testutil.Race {
		limit *= 3
	}
	took := time.Duration(0)
	for range 3 {
		begin := time.Now()
		ts.Check(ts.Exec(args[1], args[2:]...))
		if took = time.Since(begin); took <= limit {
			return
		}
	}
	ts.Fatalf("%v took %v", args[1:], took)
}

// exits is a command of the scripts: `exits 2 zbench --foo` runs the rest and
// succeeds when it exits with that code; `exits 0|99` with one of several. Scripts
// themselves know only success and failure.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command...")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var failed *exec.ExitError
		if !errors.As(err, &failed) {
			ts.Fatalf("%v", err)
		}
		got = failed.ExitCode()
	}
	if !slices.Contains(strings.Split(args[0], "|"), strconv.Itoa(got)) {
		ts.Fatalf("%v exited with %d, not %s", args[1:], got, args[0])
	}
}
