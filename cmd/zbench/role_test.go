package main_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// TestRole runs the scripts of send, recv and echo: with each other, and with peers in
// Python.
func TestRole(t *testing.T) {
	t.Parallel()
	python := os.Getenv("GOZMQ_PYTHON")
	if python == "" {
		python = "python3"
	}
	said, err := exec.Command(python, "-c", "import zmq").CombinedOutput()
	require.NoError(t, err, "make test sets GOZMQ_PYTHON to a Python that has pyzmq: %s", said)

	testscript.Run(t, testscript.Params{
		Dir:       "testdata/role",
		Cmds:      map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "interrupted": interrupted},
		Condition: has,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GOZMQ_LIBRARY", os.Getenv("GOZMQ_LIBRARY"))
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			env.Setenv("PYTHON", python)
			return fitting(env)
		},
	})
}
