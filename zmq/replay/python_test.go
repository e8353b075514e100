package replay_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/replay"
)

// startPython starts testdata/peer.py with a Python that has pyzmq.
func startPython(t *testing.T, words ...string) (lines *bufio.Scanner, stdin io.Closer) {
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
	cmd := exec.Command(path, append([]string{"testdata/peer.py"}, words...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	stdin, err = cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	return bufio.NewScanner(out), stdin
}

// A publisher in Python that knows only the format loses every seventh message on the way.
func TestPythonPublisher(t *testing.T) {
	t.Parallel()
	const last = 999
	lines, stdin := startPython(t, "publish", "tcp://127.0.0.1:*", "tcp://127.0.0.1:*", "1000")
	require.True(t, lines.Scan())
	endpoints := strings.Fields(lines.Text())
	s := subscribe(t, newContext(t), [2]string{endpoints[0], endpoints[1]},
		replay.SubscriberConfig{Topic: topic, From: replay.FromSeq(0), Probe: 50 * time.Millisecond}, zmq.HWM(0))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	a, err := follow(ctx, s, 0, last)
	require.NoError(t, err)
	require.EqualValues(t, last+1, a.delivered)
	require.NoError(t, stdin.Close())
}

// A subscriber in Python that knows only the format drops every fifth live message and asks
// for it.
func TestPythonSubscriber(t *testing.T) {
	t.Parallel()
	p := newPublisher(t, newContext(t), "tcp://127.0.0.1:*", replay.PublisherConfig{}, zmq.HWM(0))
	p.publishAll(t, 0, 499)
	lines, _ := startPython(t, "subscribe", p.endpoints[0], p.endpoints[1], "1000")
	require.NoError(t, p.pub.WaitSubscribers(t.Context(), 1))
	p.publishAll(t, 500, 999)
	require.True(t, lines.Scan(), "it failed")
	require.Equal(t, "done", lines.Text())
	require.Positive(t, p.Stats().Replays)
	require.Zero(t, p.Stats().Refused)
}
