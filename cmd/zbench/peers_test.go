package main_test

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// output is what a process wrote, which any goroutine may read.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// A process of zbench.
type process struct {
	*exec.Cmd
	t     *testing.T
	out   output
	ended chan struct{}
}

// zbench starts a process.
func zbench(t *testing.T, args ...string) *process {
	t.Helper()
	path, err := exec.LookPath("zbench")
	require.NoError(t, err)
	p := &process{Cmd: exec.Command(path, args...), t: t, ended: make(chan struct{})}
	p.Stdout, p.Stderr = &p.out, &p.out
	p.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	require.NoError(t, p.Start())
	go func() {
		defer close(p.ended)
		_ = p.Wait() // the code is looked at
	}()
	t.Cleanup(func() {
		_ = p.Process.Kill() // unless it has ended
		<-p.ended
		if t.Failed() {
			t.Logf("zbench %s:\n%s", strings.Join(args, " "), p.out.String())
		}
	})
	return p
}

// says waits until the process has written a text.
func (p *process) says(text string) {
	p.t.Helper()
	require.Eventually(p.t, func() bool { return strings.Contains(p.out.String(), text) }, time.Minute, 5*time.Millisecond, text)
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	require.NoError(p.t, p.Process.Signal(s))
}

// exits waits for the end of the process.
func (p *process) exits(code int) {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(2 * time.Minute):
		p.t.Fatal("it does not end")
	}
	require.Equal(p.t, code, p.ProcessState.ExitCode(), p.out.String())
}

// free returns an endpoint that nobody is bound to.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return "tcp://" + l.Addr().String()
}

// A peer that is killed is named at once, with when, and what was measured until then is kept.
func TestKilledPeer(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{"closed": nil, "open": {"--rate", "2k"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := free(t)
			echo := zbench(t, "echo", "-e", at)
			echo.says("listening")
			file := t.TempDir() + "/kept.jsonl"
			begin := time.Now()
			lat := zbench(t, append(args, "lat", "-e", at, "-d", "60s", "-w", "100ms", "-r", "2", "-o", file)...)
			lat.says("each, about")
			time.Sleep(2 * time.Second) // of the run
			echo.signal(syscall.SIGKILL)
			lat.exits(3)
			require.Less(t, time.Since(begin), 30*time.Second, "at once")
			require.Regexp(t, `zbench: peer gone at \d\.\d s; .* % of \d+ messages not answered`, lat.out.String())
			require.Regexp(t, `P50|not answered`, lat.out.String())
			kept, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Regexp(t, `"kind":"run".*"messages":[1-9]\d+.*"gone":"peer gone at`, string(kept))
			require.NotContains(t, lat.out.String(), "overloaded")
		})
	}
}

// After a restart of its peer an offered load goes on, and says what was lost.
func TestRestartedPeer(t *testing.T) {
	t.Parallel()
	at := free(t)
	echo := zbench(t, "echo", "-e", at)
	echo.says("listening")
	lat := zbench(t, "lat", "-e", at, "--rate", "1k", "-d", "8s", "-w", "100ms", "-r", "1")
	lat.says("each, about")
	time.Sleep(2 * time.Second) // of the run
	echo.signal(syscall.SIGKILL)
	<-echo.ended
	zbench(t, "echo", "-e", at).says("listening")
	lat.exits(3)
	require.Regexp(t, `peer gone at \d\.\d s, back at \d\.\d s; .* % of [3-9]\d\d\d messages not answered|peer gone at`, lat.out.String())
	require.NotContains(t, lat.out.String(), "report it")
}

// A peer that freezes is latency while the window lasts; if it stays so, that is said soon
// after, and the seconds before are kept.
func TestFrozenPeer(t *testing.T) {
	t.Parallel()
	at := free(t)
	echo := zbench(t, "echo", "-e", at)
	echo.says("listening")
	begin := time.Now()
	lat := zbench(t, "lat", "-e", at, "-d", "4s", "-w", "100ms", "-r", "1")
	lat.says("each, about")
	time.Sleep(1500 * time.Millisecond) // of the run
	echo.signal(syscall.SIGSTOP)
	lat.exits(3)
	require.Less(t, time.Since(begin), 30*time.Second)
	require.Regexp(t, `zbench: run 1: peer silent at \d\.\d s; .* not answered|zbench: peer silent at \d\.\d s`, lat.out.String())
	require.Regexp(t, `P50`, lat.out.String(), "what was measured is shown")
	echo.signal(syscall.SIGCONT)
}

// A sender whose last receiver dies stops, and its rate is that until then. A receiver whose
// sender dies says so.
func TestKilledSide(t *testing.T) {
	t.Parallel()
	at := free(t)
	recv := zbench(t, "recv", "-e", at)
	recv.says("listening")
	send := zbench(t, "send", "-e", at, "--rate", "1k", "-d", "60s")
	send.says("waits for")
	time.Sleep(2 * time.Second) // of the run
	begin := time.Now()
	recv.signal(syscall.SIGKILL)
	send.exits(3)
	require.Less(t, time.Since(begin), 30*time.Second)
	require.Regexp(t, `zbench: peer gone at \d\.\d s: all peers left`, send.out.String())
	require.Regexp(t, `handed to libzmq [1-9]\d+ messages`, send.out.String())

	at = free(t)
	recv = zbench(t, "recv", "-e", at)
	recv.says("listening")
	send = zbench(t, "send", "-e", at, "--rate", "1k", "-d", "60s")
	send.says("waits for")
	time.Sleep(2 * time.Second) // of the run
	begin = time.Now()
	send.signal(syscall.SIGKILL)
	recv.exits(1)
	require.Less(t, time.Since(begin), 20*time.Second)
	require.Regexp(t, `zbench: peer gone at \d\.\d s without an end mark: 0 of 1 sender ended`, recv.out.String())
}

// What keeps sides from connecting is named at once, at both where both can know it.
func TestSidesThatDoNotConnect(t *testing.T) {
	t.Parallel()
	const wrong = "uH1Z9cEZ5$.c2ZKlEk}o1}1LKK?*pj0@:Y#7sN+?"
	for name, c := range map[string]struct {
		echo, lat     []string
		ofEcho, ofLat string
	}{
		"no key": {
			[]string{"echo", "--security", "curve"},
			[]string{"lat"},
			"CURVE", "CURVE", // which of them hears of it first depends on chance
		},
		"a wrong key": {
			[]string{"echo", "--security", "curve"},
			[]string{"lat", "--security", "curve=" + wrong},
			"CURVE", "the CURVE key is wrong",
		},
		"a key for nothing": {
			[]string{"echo"},
			[]string{"lat", "--security", "curve=" + wrong},
			"CURVE", "",
		},
		"PUB to PULL": {
			[]string{"recv"},
			[]string{"send", "-p", "pubsub"},
			"its socket type does not fit a PULL", "its socket type does not fit a PUB",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := free(t)
			echo := zbench(t, append(c.echo, "-e", at)...)
			echo.says("listening")
			begin := time.Now()
			lat := zbench(t, append(c.lat, "-e", at)...)
			lat.exits(1)
			require.Less(t, time.Since(begin), 9*time.Second, "before it gives up")
			require.Contains(t, lat.out.String(), c.ofLat)
			echo.says(c.ofEcho)
		})
	}
	t.Run("no such host", func(t *testing.T) {
		t.Parallel()
		for _, verb := range []string{"lat", "send"} {
			begin := time.Now()
			p := zbench(t, verb, "-e", "tcp://no-such-host.invalid:5555")
			p.exits(3)
			require.Less(t, time.Since(begin), 9*time.Second)
			require.Contains(t, p.out.String(), "the name no-such-host.invalid has no address")
		}
	})
}
