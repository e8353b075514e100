// Package interop tests that go-zmq and another binding, pyzmq, understand each
// other: each side makes and checks every message by the same rules.
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
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/leak"
	"github.com/go-zmq/go-zmq/internal/leak/msgleak"
	"github.com/go-zmq/go-zmq/zmq"
)

func TestMain(m *testing.M) { leak.Main(m, msgleak.Watch) }

const (
	messages = 1000
	timeout  = 2 * time.Minute // for a whole test; none takes seconds
)

// Both sides make message i from these tables. Keep them equal to peer.py's.
var (
	shapes = [][]int{
		{0},
		{1},
		{0, 0},
		{32, 33},
		{5, 0, 1000},
		{0, 255, 256, 0},
		{8191, 8192, 8193},
		{1, 2, 3, 4, 5, 6, 7, 8, 9},
		{70_000, 0},
	}
	topics        = []string{"alpha", "beta one", "beta two,three", "\x00nul", "", "\xff\xfebinary"}
	subscriptions = []string{"\x00", "beta"} // syncTopic comes with the last
)

const syncTopic, endTopic = "beta sync", "beta end"

// content returns bytes of every value, in a period that no buffer size is a
// multiple of.
func content(size, seed int) []byte {
	p := make([]byte, size)
	for i := range p {
		p[i] = byte((seed + i%251) % 251)
	}
	return p
}

func message(i int) [][]byte {
	sizes := shapes[i%len(shapes)]
	if i%100 == 99 {
		sizes = []int{1 << 20}
	}
	parts := make([][]byte, len(sizes))
	for k, size := range sizes {
		parts[k] = content(size, i+k)
	}
	return parts
}

func published(i int) [][]byte {
	return append([][]byte{[]byte(topics[i%len(topics)])}, message(i)...)
}

// same fails the test without printing a megabyte.
func same(t *testing.T, want, got [][]byte, what string, i int) {
	t.Helper()
	if !slices.EqualFunc(want, got, bytes.Equal) {
		require.FailNow(t, "wrong message", "%s %d: parts of %v bytes, wanted %v, or other content", what, i, sizes(got), sizes(want))
	}
}

func sizes(parts [][]byte) []int {
	n := make([]int, len(parts))
	for i, p := range parts {
		n[i] = len(p)
	}
	return n
}

// overTransports runs a test over tcp and ipc; endpoint is one to bind.
func overTransports(t *testing.T, test func(t *testing.T, ctx context.Context, endpoint string)) {
	transports := map[string]func(t *testing.T) string{
		"tcp": func(*testing.T) string { return "tcp://127.0.0.1:*" },
		"ipc": func(t *testing.T) string {
			// Not t.TempDir: its names can be longer than the path of a socket may be.
			dir, err := os.MkdirTemp("", "zmq")
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
			return "ipc://" + dir + "/interop"
		},
	}
	for name, endpoint := range transports {
		t.Run("transport="+name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			defer cancel()
			test(t, ctx, endpoint(t))
		})
	}
}

func newSocket(t *testing.T, kind zmq.SocketType, settings ...zmq.Setting) *zmq.Socket {
	t.Helper()
	c, err := zmq.NewContext()
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, c.Close())
		require.Zero(t, c.Rescues(), "the safety net found a forgotten waiter")
	})
	s, err := c.NewSocket(kind, zmq.SendHWM.To(0), zmq.RecvHWM.To(0))
	require.NoError(t, err)
	require.NoError(t, s.Set(settings...))
	return s
}

// bound returns a bound socket and a peer of the role given that is connected
// to it.
func bound(t *testing.T, ctx context.Context, kind zmq.SocketType, endpoint, role string) (*zmq.Socket, *peer) {
	t.Helper()
	s := newSocket(t, kind)
	require.NoError(t, s.Bind(endpoint))
	endpoint, err := s.LastEndpoint()
	require.NoError(t, err)
	p := startPeer(t, ctx, role, endpoint)
	p.expect("ready " + endpoint)
	return s, p
}

// connected returns a socket that is connected to a peer of the role given.
func connected(t *testing.T, ctx context.Context, kind zmq.SocketType, endpoint, role string, settings ...zmq.Setting) (*zmq.Socket, *peer) {
	t.Helper()
	s := newSocket(t, kind, settings...)
	p := startPeer(t, ctx, role, endpoint)
	require.NoError(t, s.Connect(strings.TrimPrefix(p.expect("ready "), "ready ")))
	return s, p
}

func TestReqToPythonRep(t *testing.T) {
	t.Parallel()
	overTransports(t, func(t *testing.T, ctx context.Context, endpoint string) {
		s, p := connected(t, ctx, zmq.Req, endpoint, "rep")
		for i := range messages {
			require.NoError(t, s.SendMultipartContext(ctx, message(i)))
			reply, err := s.RecvMultipartContext(ctx)
			require.NoError(t, err)
			same(t, message(i+1), reply, "reply", i)
		}
		p.done()
	})
}

func TestRepToPythonReq(t *testing.T) {
	t.Parallel()
	overTransports(t, func(t *testing.T, ctx context.Context, endpoint string) {
		s, p := bound(t, ctx, zmq.Rep, endpoint, "req")
		for i := range messages {
			request, err := s.RecvMultipartContext(ctx)
			require.NoError(t, err)
			same(t, message(i), request, "request", i)
			require.NoError(t, s.SendMultipartContext(ctx, message(i+1)))
		}
		p.done()
	})
}

// One goroutine sends while another receives on the same socket.
func TestDealerToPythonRouter(t *testing.T) {
	t.Parallel()
	overTransports(t, func(t *testing.T, ctx context.Context, endpoint string) {
		s, p := connected(t, ctx, zmq.Dealer, endpoint, "router", zmq.RoutingID.To([]byte("go\x00\xff")))
		sent := make(chan error, 1)
		go func() {
			var err error
			for i := 0; i < messages && err == nil; i++ {
				err = s.SendMultipartContext(ctx, message(i))
			}
			sent <- err
		}()
		for i := range messages {
			answer, err := s.RecvMultipartContext(ctx)
			require.NoError(t, err)
			same(t, message(i+1), answer, "answer", i)
		}
		require.NoError(t, <-sent)
		p.done()
	})
}

func TestRouterToPythonDealer(t *testing.T) {
	t.Parallel()
	overTransports(t, func(t *testing.T, ctx context.Context, endpoint string) {
		s, p := bound(t, ctx, zmq.Router, endpoint, "dealer")
		for i := range messages {
			got, err := s.RecvMultipartContext(ctx)
			require.NoError(t, err)
			require.Equal(t, "\x00py\xff", string(got[0]))
			same(t, message(i), got[1:], "message", i)
			require.NoError(t, s.SendMultipartContext(ctx, append(got[:1:1], message(i+1)...)))
		}
		p.done()
	})
}

// A PUB does not know when somebody has subscribed, so it repeats a message until
// the subscriber says that one came.
func TestPubToPythonSub(t *testing.T) {
	t.Parallel()
	overTransports(t, func(t *testing.T, ctx context.Context, endpoint string) {
		s, p := bound(t, ctx, zmq.Pub, endpoint, "sub")
		again := time.NewTicker(time.Millisecond)
		defer again.Stop()
		for subscribed := false; !subscribed; {
			select {
			case line := <-p.lines:
				require.Equal(t, "subscribed", line)
				subscribed = true
			case <-again.C:
				require.NoError(t, s.SendStringContext(ctx, syncTopic))
			}
		}
		publish(t, ctx, s)
		p.expect("unsubscribed")
		p.say("bye")
		p.done()
	})
}

// An XPUB is told of subscriptions, and of their end.
func TestXPubToPythonSub(t *testing.T) {
	t.Parallel()
	overTransports(t, func(t *testing.T, ctx context.Context, endpoint string) {
		s, p := bound(t, ctx, zmq.XPub, endpoint, "sub")
		expectSubscriptions(t, ctx, s, "\x01")
		publish(t, ctx, s)
		p.expect("unsubscribed")
		expectSubscriptions(t, ctx, s, "\x00")
		p.say("bye")
		p.done()
	})
}

func expectSubscriptions(t *testing.T, ctx context.Context, s *zmq.Socket, prefix string) {
	t.Helper()
	var got, want []string
	for _, topic := range subscriptions {
		word, err := s.RecvStringContext(ctx)
		require.NoError(t, err)
		got, want = append(got, word), append(want, prefix+topic)
	}
	require.ElementsMatch(t, want, got)
}

func publish(t *testing.T, ctx context.Context, s *zmq.Socket) {
	t.Helper()
	for i := range messages {
		require.NoError(t, s.SendMultipartContext(ctx, published(i)))
	}
	require.NoError(t, s.SendStringContext(ctx, endTopic))
}

func TestSubToPythonPub(t *testing.T) {
	t.Parallel()
	overTransports(t, func(t *testing.T, ctx context.Context, endpoint string) {
		s, p := connected(t, ctx, zmq.Sub, endpoint, "pub")
		for _, topic := range subscriptions {
			require.NoError(t, s.Subscribe(topic))
		}
		got, err := s.RecvMultipartContext(ctx)
		require.NoError(t, err)
		require.Equal(t, syncTopic, string(got[0]))
		p.say("subscribed")
		for string(got[0]) == syncTopic {
			got, err = s.RecvMultipartContext(ctx)
			require.NoError(t, err)
		}
		expectPublications(t, ctx, s, got)
		p.done()
	})
}

func TestSubToPythonXPub(t *testing.T) {
	t.Parallel()
	overTransports(t, func(t *testing.T, ctx context.Context, endpoint string) {
		s, p := connected(t, ctx, zmq.Sub, endpoint, "xpub")
		for _, topic := range subscriptions {
			require.NoError(t, s.Subscribe(topic))
		}
		first, err := s.RecvMultipartContext(ctx)
		require.NoError(t, err)
		expectPublications(t, ctx, s, first)
		for _, topic := range subscriptions {
			require.NoError(t, s.Unsubscribe(topic))
		}
		p.done()
	})
}

// expectPublications receives what is published under the subscriptions and
// nothing else; the first message has been received already.
func expectPublications(t *testing.T, ctx context.Context, s *zmq.Socket, got [][]byte) {
	t.Helper()
	for i := range messages {
		topic := topics[i%len(topics)]
		if !slices.ContainsFunc(subscriptions, func(sub string) bool { return strings.HasPrefix(topic, sub) }) {
			continue
		}
		same(t, published(i), got, "publication", i)
		var err error
		got, err = s.RecvMultipartContext(ctx)
		require.NoError(t, err)
	}
	require.Equal(t, endTopic, string(got[0]))
}

// A peer is a Python process in one role.
type peer struct {
	t      *testing.T
	lines  chan string // of its standard output; closed at its end
	stdin  *os.File
	stderr bytes.Buffer
	cmd    *exec.Cmd
}

func startPeer(t *testing.T, ctx context.Context, role, endpoint string) *peer {
	t.Helper()
	return startScript(t, ctx, "peer.py", role, endpoint)
}

// startScript runs a script of this directory.
func startScript(t *testing.T, ctx context.Context, script, role string, arguments ...string) *peer {
	t.Helper()
	in, stdin, err := os.Pipe()
	require.NoError(t, err)
	defer in.Close()
	p := &peer{t: t, lines: make(chan string, 16), stdin: stdin}
	t.Cleanup(func() { stdin.Close() })
	p.cmd = exec.CommandContext(ctx, python(t), append([]string{script, role}, arguments...)...)
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
			t.Logf("%s of %s said on standard error:\n%s", role, p.cmd.Path, &p.stderr)
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
	path, err := filepath.Abs("../build/venv/bin/python")
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
