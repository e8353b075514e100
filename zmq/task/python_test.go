package task_test

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq/task"
)

// python returns a Python that has pyzmq.
func python(t *testing.T) string {
	t.Helper()
	path := os.Getenv("GOZMQ_PYTHON")
	if path == "" {
		var err error
		path, err = filepath.Abs("../../build/venv/bin/python")
		require.NoError(t, err)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			require.NotEqual(t, "true", os.Getenv("CI"), "no Python with pyzmq")
			t.Skip("no Python with pyzmq: " + path + " does not exist; run: make test")
		}
	}
	return path
}

// startPython starts a worker in Python, and returns the lines that it prints.
func startPython(t *testing.T, b *bed, words ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(python(t), append([]string{"testdata/worker.py", b.endpoint}, words...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	return cmd, bufio.NewScanner(out)
}

// A worker of forty lines of Python, which knows only the package comment, works beside a
// Worker, refuses, and says goodbye.
func TestPythonWorker(t *testing.T) {
	t.Parallel()
	b := newBed(t, task.QueueConfig{Lease: time.Hour})
	cmd, lines := startPython(t, b, "fail")
	const n = 100
	for i := range n {
		require.NoError(t, b.Push(within(t), []byte(strconv.Itoa(i))))
	}
	seen := map[string]bool{}
	for range n {
		require.True(t, lines.Scan())
		seen[lines.Text()] = true
	}
	require.Len(t, seen, n)
	require.NoError(t, b.Drain(within(t)))
	s := b.Stats()
	require.EqualValues(t, n, s.Acknowledged)
	require.EqualValues(t, n, s.Redelivered, "it refused each task once")
	require.Zero(t, s.Malformed+s.Late)
	require.NoError(t, b.Push(within(t), []byte("stop")))
	require.NoError(t, b.Drain(within(t)))
	b.await("the goodbye", func(s task.QueueStats) bool { return s.Workers == 0 })
	require.NoError(t, cmd.Wait())
	require.NoError(t, b.Close())
}
