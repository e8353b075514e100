package main_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// TestPerfTools runs the scripts with libzmq's own measuring tools as peers.
func TestPerfTools(t *testing.T) {
	t.Parallel()
	tools := os.Getenv("GOZMQ_PERF")
	if tools == "" {
		tools = filepath.Join("..", "..", "build", "perf")
	}
	tools, err := filepath.Abs(tools)
	require.NoError(t, err)
	if _, err := os.Stat(filepath.Join(tools, "remote_thr")); err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "%s has not libzmq's own tools, which a CI must have: scripts/libzmq.sh perf builds them", tools)
		t.Skipf("%s has not libzmq's own tools: scripts/libzmq.sh perf builds them", tools)
	}
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/perf",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Setup: func(env *testscript.Env) error {
			env.Setenv("GOZMQ_LIBRARY", os.Getenv("GOZMQ_LIBRARY"))
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			env.Setenv("PERF", tools)
			return nil
		},
	})
}
