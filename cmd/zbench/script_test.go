package main_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/cli"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
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
		Dir:  "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Setup: func(env *testscript.Env) error {
			// The library that the rest of the tests use.
			env.Setenv("GOZMQ_LIBRARY", os.Getenv("GOZMQ_LIBRARY"))
			// The race detector waits a second at the end of each process.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			return engines(env)
		},
	})
}

// engines gives scripts the file of a libzmq, and one of the same with another name.
func engines(env *testscript.Env) error {
	info, err := machine.Look()
	if err != nil {
		return err
	}
	env.Setenv("LIBZMQ", info.Library)
	env.Setenv("OTHER", "other.so")
	return os.Symlink(info.Library, filepath.Join(env.WorkDir, "other.so"))
}

// exits is a command of the scripts: `exits 2 zbench --foo` runs the rest and
// succeeds when it exits with that code. Scripts themselves know only success and
// failure.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var failed *exec.ExitError
		if !errors.As(err, &failed) {
			ts.Fatalf("%v", err)
		}
		got = failed.ExitCode()
	}
	if got != want {
		ts.Fatalf("%v exited with %d, not %d", args[1:], got, want)
	}
}
