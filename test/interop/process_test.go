package interop

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// A peer is a process in one role: a Python script, or a program in C.
type peer struct {
	t      *testing.T
	lines  chan string // of its standard output; closed at its end
	stdin  *os.File
	stderr bytes.Buffer
	cmd    *exec.Cmd
}

// startPeer runs peer.py, or peer.c; side says whether its socket binds or connects.
// It sends a heartbeat every so many milliseconds; 0: none.
func startPeer(t *testing.T, ctx context.Context, language, role, side, endpoint string, heartbeat int, s security) *peer {
	t.Helper()
	arguments := append([]string{side, endpoint, strconv.Itoa(heartbeat)}, s.theirs...)
	if language == "c" {
		return start(t, ctx, cPeer(t), append([]string{role}, arguments...)...)
	}
	return startScript(t, ctx, "peer.py", role, arguments...)
}

// startScript runs a script of this directory.
func startScript(t *testing.T, ctx context.Context, script, role string, arguments ...string) *peer {
	t.Helper()
	return start(t, ctx, python(t), append([]string{script, role}, arguments...)...)
}

func start(t *testing.T, ctx context.Context, program string, arguments ...string) *peer {
	t.Helper()
	in, stdin, err := os.Pipe()
	require.NoError(t, err)
	defer in.Close()
	p := &peer{t: t, lines: make(chan string, 16), stdin: stdin}
	t.Cleanup(func() { stdin.Close() })
	p.cmd = exec.CommandContext(ctx, program, arguments...)
	p.cmd.Stdin, p.cmd.Stderr = in, &p.stderr
	out, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	go func() {
		defer close(p.lines)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			p.lines <- lines.Text()
		}
	}()
	t.Cleanup(func() {
		// After a failure it may still wait for messages that never come.
		_ = p.cmd.Process.Kill()
		for range p.lines {
		}
		_ = p.cmd.Wait()
		if t.Failed() {
			t.Logf("%s said on standard error:\n%s", p.cmd, &p.stderr)
		}
	})
	return p
}

// expect returns the next line, which begins with prefix.
func (p *peer) expect(prefix string) string {
	p.t.Helper()
	line, ok := <-p.lines
	require.True(p.t, ok, "the peer ended before it said %q", prefix)
	require.True(p.t, strings.HasPrefix(line, prefix), "the peer said %q, not %q", line, prefix)
	return line
}

func (p *peer) say(line string) {
	p.t.Helper()
	_, err := fmt.Fprintln(p.stdin, line)
	require.NoError(p.t, err)
}

// done waits until the peer has said that all was well.
func (p *peer) done() {
	p.t.Helper()
	p.expect("done ")
}

// python returns the interpreter that has pyzmq. Without one the tests cannot
// run: in a CI that is a failure.
func python(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("GOZMQ_PYTHON"); path != "" {
		_, err := exec.LookPath(path)
		require.NoError(t, err, "GOZMQ_PYTHON names no program; run the tests with: make test")
		return path
	}
	path, err := filepath.Abs("../../build/venv/bin/python")
	require.NoError(t, err)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		reason := "no Python with pyzmq: " + path + " does not exist; run: make test"
		if os.Getenv("CI") == "true" {
			require.FailNow(t, reason)
		}
		t.Skip(reason)
	}
	return path
}

// cPeer returns the program of testdata/peer.c, compiled once. Without libzmq's header
// that cannot be: in a CI that is a failure.
func cPeer(t *testing.T) string {
	t.Helper()
	path, err := compileCPeer()
	if errors.Is(err, errNoHeader) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	require.NoError(t, err)
	return path
}

var errNoHeader = errors.New("no zmq.h that pkg-config knows of; run: make check LANE=interop")

// Below build, as all that is compiled: with a test's end its binary is not gone.
var compileCPeer = sync.OnceValues(func() (string, error) {
	// The first script finds the headers that scripts/install.sh rivals has unpacked. Two
	// runs at once compile different files.
	const compile = `eval "$(../../scripts/rivals-env.sh)" && pkg-config --exists libzmq || exit 3
mkdir -p ../../build/interop
${CC:-cc} -O2 -Wall -Wextra -Werror -o "$1.$$" testdata/peer.c $(pkg-config --cflags --libs libzmq) && mv "$1.$$" "$1"`
	path, err := filepath.Abs("../../build/interop/peer")
	if err != nil {
		return "", err
	}
	out, err := exec.Command("bash", "-c", compile, "compile", path).CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 3 {
		return "", errNoHeader
	}
	if err != nil {
		return "", fmt.Errorf("compiling peer.c: %w\n%s", err, out)
	}
	return path, nil
})
