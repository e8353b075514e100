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
		Cmds:      map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "interrupted": interrupted},
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
	path, err := exec.LookPath(args[4])
	ts.Check(err)
	cmd := exec.Command(path, args[5:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = ts.MkAbs("."), ts.Stdout(), ts.Stderr()
	ts.Check(cmd.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the code is looked at
	}()
	for file := ts.MkAbs(args[2]); ; {
		if text, err := os.ReadFile(file); err == nil && strings.Contains(string(text), args[3]) {
			break
		}
		select {
		case <-ended:
			ts.Fatalf("%v ended before %s had %s", args[4:], args[2], args[3])
		case <-time.After(5 * time.Millisecond):
		}
	}
	ts.Check(cmd.Process.Signal(signals[args[1]]))
	<-ended
	if got := cmd.ProcessState.ExitCode(); got != code {
		ts.Fatalf("%v exited with %d, not %d", args[4:], got, code)
	}
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
