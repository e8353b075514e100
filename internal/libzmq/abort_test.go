//go:build linux

package libzmq

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Each of these sequences of calls ends the process, or freezes it, when libzmq is
// called directly. The tests of the same names in package zmq run them through the
// public API, where they must end in an error; these here show that they could
// fail. docs/safety.md has the list.

// abortVariable tells a child process which sequence to run.
const abortVariable = "GOZMQ_TEST_ABORT"

// survived is what a child says at its end.
const survived = "the process has survived"

type abort struct {
	name  string
	cause string // matches what the dying process says, besides the signal; "" where C++ decides
	run   func()
}

// EMFILE, as glibc and as musl say it.
const noDescriptor = "Too many open files|No file descriptors available"

var aborts = []abort{
	{"02 no descriptors for the first socket", noDescriptor, abortDescriptors},
	{"02 no descriptor to bind with", noDescriptor, abortBind},
	{"04 libzmq's descriptor closed by others", "", abortStrayClose},
	{"04b UseFD with a bad descriptor", "Bad file descriptor", abortUseFD},
	{"07 several parts for a socket that conflates", "!_more", abortConflate},
	{"08 disconnect in the middle of a message", "!_more", abortHalfRead},
	{"08 disconnect after a look at the events", "!_more", abortLook},
	{"09 a routing id used twice", "!has_out_pipe", abortRoutingID},
	{"09 a routing id like those that libzmq makes up", "Assertion failed: ok", abortGuessedID},
	{"10 no thread can be started", "Resource temporarily unavailable", abortThreads},
	{"13 Immediate changed after Connect", "false", abortImmediate},
	{"14 a PAIR answers for the authenticator", "", abortZap},
	{"15 PLAIN server without its domain", "", abortPlainDomain},
	{"16 absurd number of sockets", "", abortMaxSockets},
	{"16b a CPU that is not there", "Invalid argument", abortAffinity},
	{"17 draft types without the draft API", "", abortDraftTypes},
	{"18 no place to settle inproc names", "Assertion failed: s ", abortSettle},
	{"19 RouterMandatory on REP", "", abortRepMandatory},
	{"20 disconnect from an unbound inproc name", "written", abortPendingInproc},
	{"44 a PAIR binds a name that two REP are connected to", "written", abortPairTurnsAway},
	{"45 the id of a connection to an unbound inproc name is handed over", "written", abortHandover},
	{"46 Conflate and an inproc name that is not bound", "ok", abortConflatedName},
	{"48 a welcome to a socket that has left", "ok", abortWelcome},
	{"50 a SUB binds a name that a ROUTER is connected to", "written", abortSubBinds},
	{"21 STREAM over inproc", "", abortStreamInproc},
	{"22 topic of a megabyte", "", abortLongTopic},
	{"22 topic of a megabyte sent by an XSUB", "", abortSentTopic},
	{"34 a raw ROUTER that probes its peers", "n > 0", abortRawProbe},
}

func TestAbort(t *testing.T) {
	require.NoError(t, Load())
	for _, a := range aborts {
		t.Run(strings.ReplaceAll(a.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			state, stderr := runAbort(t, a.name)
			if survives(a.name) {
				require.True(t, state.Success(), "%v: %s", state, stderr)
				require.Contains(t, stderr, survived)
				return
			}
			// Go's own handler ends a process with status 2 after it has said which
			// signal it was; on threads of libzmq the signal itself does it.
			died := strings.Contains(stderr, "SIGABRT: abort") || strings.Contains(stderr, "SIGSEGV")
			// AddressSanitizer speaks up first when a C++ exception is thrown.
			died = died || strings.Contains(stderr, "__cxa_throw")
			if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
				died = status.Signal() == syscall.SIGABRT || status.Signal() == syscall.SIGSEGV
			}
			require.True(t, died, "%v: %s", state, stderr)
			require.Regexp(t, a.cause, stderr)
		})
	}
}

// survives reports whether a sequence is harmless to the libzmq at hand: one with
// the draft API knows its types at the handshake, and keeps topics in a radix tree.
func survives(name string) bool {
	return Has("draft") && (strings.HasPrefix(name, "17 ") || strings.HasPrefix(name, "22 "))
}

func runAbort(t *testing.T, name string) (*os.ProcessState, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestAbortChild$")
	cmd.Env = append(os.Environ(), abortVariable+"="+name, "GOTRACEBACK=single",
		// One that dies has no use for a search for leaks.
		"ASAN_OPTIONS=detect_leaks=0", "GORACE=atexit_sleep_ms=0")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	var exit *exec.ExitError
	err := cmd.Run()
	require.True(t, err == nil || errors.As(err, &exit), "%v", err)
	require.NoError(t, ctx.Err(), "the child did not end")
	said := out.String()
	return cmd.ProcessState, said[:min(len(said), 2000)]
}

func TestAbortChild(t *testing.T) {
	name := os.Getenv(abortVariable)
	if name == "" {
		return // this is for a child of TestAbort
	}
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	require.NoError(t, Load())
	for _, a := range aborts {
		if a.name == name {
			a.run()
		}
	}
	fmt.Println(survived)
}

// must stops a sequence that did not get as far as the call that matters.
func must(rc int) {
	if rc < 0 {
		panic(ErrnoText(-rc) + " " + syscall.Errno(-rc).Error())
	}
}

func makeContext() Context {
	c, rc := OpenContext()
	must(rc)
	return c
}

func makeSocket(c Context, socketType int) Socket {
	s, rc := OpenSocket(c, socketType)
	must(rc)
	return s
}

func setInt(s Socket, option, value int) {
	must(SetOption(s, option, binary.NativeEndian.AppendUint32(nil, uint32(int32(value)))))
}

// bindTCP binds to a free port and returns the endpoint.
func bindTCP(s Socket) string {
	must(Bind(s, "tcp://127.0.0.1:*"))
	var buf [256]byte
	n := GetOption(s, OptLastEndpoint, buf[:])
	must(n)
	return string(buf[:n-1])
}

// retry repeats a call until it has something to do.
func retry(call func() int) {
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if rc := call(); rc != -int(syscall.EAGAIN) {
			must(rc)
			return
		}
	}
	panic("nothing arrived")
}

func send(s Socket, parts ...string) int {
	b := make([][]byte, len(parts))
	for i, p := range parts {
		b[i] = []byte(p)
	}
	rc, _ := Send(s, b, 0)
	return rc
}

// whileAlive waits for what a thread of libzmq will do.
func whileAlive() { time.Sleep(20 * time.Second) }

// leaveDescriptors takes all file descriptors but n.
func leaveDescriptors(n int) {
	limit := syscall.Rlimit{Cur: 64, Max: 64}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		panic(err)
	}
	var taken []int
	for {
		fd, err := syscall.Dup(2)
		if err != nil {
			break
		}
		taken = append(taken, fd)
	}
	for _, fd := range taken[len(taken)-n:] {
		syscall.Close(fd)
	}
}
