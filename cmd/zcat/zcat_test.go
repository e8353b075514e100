package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zap"
	"github.com/go-zmq/go-zmq/zmq/zmqtest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"zcat": main})
}

// The command lines of the documents, and what is wrong with others.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			env.Setenv("GOZMQ_LIBRARY", os.Getenv("GOZMQ_LIBRARY"))
			env.Setenv("LD_LIBRARY_PATH", os.Getenv("LD_LIBRARY_PATH"))
			// Addresses that nobody has, one for each endpoint of a script.
			for i := range 4 {
				l, err := net.Listen("tcp4", "127.0.0.1:0")
				if err != nil {
					return err
				}
				defer l.Close()
				env.Setenv(fmt.Sprintf("AT%d", i), "tcp://"+l.Addr().String())
			}
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"keys": func(ts *testscript.TestScript, _ bool, args []string) {
				for _, name := range args {
					c, err := zap.NewCertificate()
					ts.Check(err)
					ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(name)), 0o700))
					ts.Check(c.Save(ts.MkAbs(name)))
				}
			},
		},
	})
}

// A running is a zcat process.
type running struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	err bytes.Buffer
}

func start(t *testing.T, args ...string) *running {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	// The test program acts as zcat if it is called by that name.
	link := filepath.Join(t.TempDir(), "zcat")
	require.NoError(t, os.Symlink(exe, link))
	r := &running{Cmd: exec.Command(link, args...)}
	r.in, err = r.StdinPipe()
	require.NoError(t, err)
	out, err := r.StdoutPipe()
	require.NoError(t, err)
	r.out = bufio.NewReader(out)
	r.Stderr = &r.err
	require.NoError(t, r.Start())
	t.Cleanup(func() { _ = r.Process.Kill() })
	return r
}

func (r *running) line(t *testing.T) string {
	t.Helper()
	s, err := r.out.ReadString('\n')
	require.NoError(t, err, &r.err)
	return strings.TrimSuffix(s, "\n")
}

func peer(t *testing.T, typ zmq.SocketType) (s *zmq.Socket, endpoint string) {
	t.Helper()
	s = zmqtest.NewSocket(t, zmqtest.NewContext(t), typ)
	return s, zmqtest.Bind(t, s, "tcp://127.0.0.1:*")
}

// Ctrl-C ends with 130 after the last whole message.
func TestInterruptEndsAfterWholeMessage(t *testing.T) {
	t.Parallel()
	for range 3 {
		push, endpoint := peer(t, zmq.Push)
		r := start(t, "pull", endpoint)
		for i := range 1000 {
			require.NoError(t, push.SendString(zmqtest.Soon(t), fmt.Sprintf("message %d of many", i)))
		}
		require.Equal(t, "message 0 of many", r.line(t))
		require.NoError(t, r.Process.Signal(os.Interrupt))
		rest, err := io.ReadAll(r.out)
		require.NoError(t, err)
		for i, line := range strings.Split(strings.TrimSuffix(string(rest), "\n"), "\n") {
			if line != "" {
				require.Equal(t, fmt.Sprintf("message %d of many", i+1), line)
			}
		}
		var exit *exec.ExitError
		require.ErrorAs(t, r.Wait(), &exit)
		require.Equal(t, 130, exit.ExitCode())
		require.Empty(t, r.err.String())
	}
}

func TestRequestsOverStandardInput(t *testing.T) {
	t.Parallel()
	rep, endpoint := peer(t, zmq.Rep)
	go func() {
		for {
			parts, err := rep.RecvMultipart(t.Context())
			if err != nil || rep.SendMultipart(t.Context(), append(parts, []byte("!"))) != nil {
				return
			}
		}
	}()
	r := start(t, "req", endpoint, "--separator", ",")
	for _, text := range []string{"hello", "a,b"} {
		_, err := io.WriteString(r.in, text+"\n")
		require.NoError(t, err)
		require.Equal(t, text+",!", r.line(t))
	}
	require.NoError(t, r.in.Close())
	require.NoError(t, r.Wait(), &r.err)
}

func TestRouterAnswersTheLastSender(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	endpoint := "tcp://" + l.Addr().String()
	require.NoError(t, l.Close())
	r := start(t, "router", "@"+endpoint, "-f", "json")
	dealer := zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Dealer, zmq.RoutingID.To([]byte{0xff, 1}))
	require.NoError(t, dealer.Connect(endpoint))
	require.NoError(t, dealer.SendMultipart(zmqtest.Soon(t), [][]byte{[]byte("hi"), {0xfe}}))
	var m message
	require.NoError(t, json.Unmarshal([]byte(r.line(t)), &m))
	require.Equal(t, text{0xff, 1}, m.ID)
	require.Equal(t, []text{text("hi"), {0xfe}}, m.Parts)
	require.Equal(t, "127.0.0.1", m.Peer)
	require.WithinDuration(t, time.Now(), m.Time, time.Hour)
	for _, line := range []string{`{"parts": ["to the last"]}`, `{"id": {"base64": "/wE="}, "parts": ["by its id"]}`} {
		_, err := io.WriteString(r.in, line+"\n")
		require.NoError(t, err)
		_, want, _ := strings.Cut(line, `"parts": ["`)
		got, err := dealer.RecvString(zmqtest.Soon(t))
		require.NoError(t, err)
		require.Equal(t, strings.TrimSuffix(want, `"]}`), got)
	}
}

// What record keeps, replay sends again, at the speed that it is told.
func TestRecordAndReplay(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "messages.jsonl")
	push, endpoint := peer(t, zmq.Push)
	r := start(t, "record", file, "pull", endpoint, "--count", "3")
	sent := [][][]byte{{[]byte("a"), {}}, {{0, 0xff}}, {[]byte("<c>")}}
	for i, m := range sent {
		if i == 2 {
			time.Sleep(200 * time.Millisecond) // the time that replay repeats
		}
		require.NoError(t, push.SendMultipart(zmqtest.Soon(t), m))
	}
	require.NoError(t, r.Wait(), &r.err)

	for speed, least := range map[string]time.Duration{"1x": 200 * time.Millisecond, "2x": 100 * time.Millisecond, "max": 0} {
		pull, endpoint := peer(t, zmq.Pull)
		r := start(t, "replay", file, "push", endpoint, "--speed", speed)
		var came []time.Time
		for _, want := range sent {
			got, err := pull.RecvMultipart(zmqtest.Soon(t))
			require.NoError(t, err)
			require.Equal(t, want, got)
			came = append(came, time.Now())
		}
		require.NoError(t, r.Wait(), &r.err)
		require.GreaterOrEqual(t, came[2].Sub(came[0]), least*8/10, speed)
	}
}

func TestTapPassesBothWaysOn(t *testing.T) {
	t.Parallel()
	rep, back := peer(t, zmq.Rep)
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	front := "tcp://" + l.Addr().String()
	require.NoError(t, l.Close())
	r := start(t, "tap", front, back, "-f", "json")
	req := zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Req)
	require.NoError(t, req.Connect(front))
	zmqtest.RequireWorks(t, req, rep)
	zmqtest.RequireWorks(t, rep, req)
	for _, from := range []string{"front", "back"} {
		var m message
		require.NoError(t, json.Unmarshal([]byte(r.line(t)), &m))
		require.Equal(t, from, m.From)
		require.Equal(t, "does it work?", string(m.Parts[2]))
	}
}

func TestMonitorSaysWhyConnectionFails(t *testing.T) {
	t.Parallel()
	s, endpoint := peer(t, zmq.Pull)
	require.NoError(t, s.Close())
	r := start(t, "push", endpoint, "--monitor", "--part", "x", "--timeout", "500ms")
	require.Error(t, r.Wait())
	require.Contains(t, r.err.String(), "connect retried "+endpoint+" in ")
	require.Contains(t, r.err.String(), "no peer was there within 500ms")
}

func TestFormatsReadWhatTheyWrite(t *testing.T) {
	t.Parallel()
	messages := []message{
		{Parts: []text{text("hello")}},
		{Parts: []text{{}, text("two"), {}}},
		{Parts: []text{{0xff, 0, 10, 13}}},
	}
	for format, from := range map[string]int{"hex": 0, "json": 0, "raw": 0} {
		o := options{format: format}
		c, err := codecFor(&o)
		require.NoError(t, err)
		var b bytes.Buffer
		for _, m := range messages[from:] {
			c.write(&b, m)
		}
		r := bufio.NewReader(&b)
		for _, want := range messages[from:] {
			got, err := c.read(r)
			require.NoError(t, err)
			if format == "hex" { // cannot tell empty parts from none
				require.Equal(t, bytes.Join(want.raw(), nil), bytes.Join(got.raw(), nil))
				continue
			}
			require.Equal(t, fmt.Sprint(want.raw()), fmt.Sprint(got.raw()), format)
		}
		_, err = c.read(r)
		require.ErrorIs(t, err, io.EOF)
	}
}

func TestMalformedInput(t *testing.T) {
	t.Parallel()
	for format, inputs := range map[string][]string{
		"hex":  {"0g\n", "abc\n"},
		"json": {"hello\n", "{}\n", `{"parts": []}` + "\n", `{"parts": [{"base64": "?"}]}` + "\n", `{"parts": [7]}` + "\n"},
		"raw":  {"\x00\x00\x00\x00", "\xff\xff\xff\xff", "\x00\x00\x00\x01", "\x00\x00\x00\x01\xff\xff\xff\xffshort"},
	} {
		c, err := codecFor(&options{format: format})
		require.NoError(t, err)
		for _, input := range inputs {
			_, err := c.read(bufio.NewReader(strings.NewReader(input)))
			require.Error(t, err, "%s: %q", format, input)
			require.NotErrorIs(t, err, io.EOF, "%s: %q", format, input)
		}
	}
}

func TestTerminalLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789", 20)
	for _, c := range []struct {
		m    message
		want string
	}{
		{message{Parts: []text{text("hello")}}, "hello"},
		{message{Parts: []text{text("a\nb\x1b[2J\\"), {0xff}, {}}}, `a\nb\x1b[2J\\ | \xff | ""`},
		{message{ID: text{0, 1}, Parts: []text{text("x")}}, `\x00\x01 | x`},
		{message{From: "front", Parts: []text{text("x")}}, "> x"},
		{message{Parts: []text{text("가나다")}}, "가나다"},
		{message{Parts: []text{text(long)}}, long[:58] + "…"},
		{message{Parts: []text{text(strings.Repeat("가", 60))}}, strings.Repeat("가", 29) + "…"},
	} {
		require.Equal(t, c.want, terminalLine(c.m, " | ", 60, false))
	}
	require.Equal(t, cyan+"id"+reset+dim+" | "+reset+"x", terminalLine(message{ID: text("id"), Parts: []text{text("x")}}, " | ", 60, true))
}
