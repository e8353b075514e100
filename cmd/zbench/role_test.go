package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/zmq"
)

// TestRole runs the scripts of send, recv, echo and proxy: with each other, and with
// peers that know nothing of zbench, in C and in Python.
func TestRole(t *testing.T) {
	t.Parallel()
	info, err := machine.Look()
	require.NoError(t, err)
	perf := filepath.Join(t.TempDir(), "perf")
	cc, err := exec.Command("go", "env", "CC").Output()
	require.NoError(t, err)
	said, err := exec.Command(strings.TrimSpace(string(cc)), "-Wall", "-Werror", "-o", perf, "testdata/perf.c", "-ldl").CombinedOutput()
	require.NoError(t, err, "%s", said)
	python := os.Getenv("GOZMQ_PYTHON")
	if python == "" {
		python = "python3"
	}
	said, err = exec.Command(python, "-c", "import zmq").CombinedOutput()
	require.NoError(t, err, "make test sets GOZMQ_PYTHON to a Python that has pyzmq: %s", said)

	testscript.Run(t, testscript.Params{
		Dir:  "testdata/role",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Condition: func(name string) (bool, error) {
			if name == "draft" {
				return zmq.Has("draft"), nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("GOZMQ_LIBRARY", os.Getenv("GOZMQ_LIBRARY"))
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			env.Setenv("LIBZMQ", info.Library)
			env.Setenv("PERF", perf)
			env.Setenv("PYTHON", python)
			return nil
		},
	})
}
