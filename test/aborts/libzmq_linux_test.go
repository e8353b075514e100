package aborts

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// A sequence of calls aborts the process when libzmq is called directly. Its row in docs/safety.md
// has a †.
type sequence struct {
	number string // of the row
	cause  string
	says   string // matches the output of the process, besides the signal
	run    func(t *testing.T)
}

func (s sequence) name() string { return strings.ReplaceAll(s.number+" "+s.cause, " ", "-") }

// noDescriptor is the text of EMFILE in glibc and musl.
const noDescriptor = "Too many open files|No file descriptors available"

var sequences = []sequence{
	{"02", "no descriptors for the first socket", noDescriptor, abortDescriptors},
	{"02", "no descriptor to bind with", noDescriptor, abortBind},
	{"04", "libzmq's descriptor closed by the program", "", abortStrayClose},
	{"04b", "UseFD with a bad descriptor", "Bad file descriptor", abortUseFD},
	{"07", "several parts for a socket with Conflate", "!_more", abortConflate},
	{"08", "disconnect in the middle of a message", "!_more", abortHalfRead},
	{"08", "disconnect after a look at the events", "!_more", abortLook},
	{"09", "a routing id used twice", "!has_out_pipe", abortRoutingID},
	{"09", "a routing id like those that libzmq makes up", "Assertion failed: ok", abortGuessedID},
	{"10", "no thread can be started", "Resource temporarily unavailable", abortThreads},
	{"13", "Immediate changed after Connect", "false", abortImmediate},
	{"14", "a PAIR answers for the authenticator", "", abortZap},
	{"15", "PLAIN server without its domain", "", abortPlainDomain},
	{"16", "absurd number of sockets", "", abortMaxSockets},
	{"16b", "a CPU that does not exist", "Invalid argument", abortAffinity},
	{"17", "draft types without the draft API", "", abortDraftTypes},
	{"18", "no place to settle inproc names", "Assertion failed: s ", abortSettle},
	{"19", "RouterMandatory on REP", "", abortRepMandatory},
	{"20", "disconnect from an unbound inproc name", "written", abortPendingInproc},
	{"21", "STREAM over inproc", "", abortStreamInproc},
	{"22", "topic of a megabyte", "", abortLongTopic},
	{"22", "topic of a megabyte sent by an XSUB", "", abortSentTopic},
	{"34", "a raw ROUTER that probes its peers", "n > 0", abortRawProbe},
	{"44", "a PAIR binds a name that two REP are connected to", "written", abortPairTurnsAway},
	{"45", "the id of a connection to an unbound inproc name is handed over", "written", abortHandover},
	{"46", "Conflate and an inproc name that is not bound", "ok", abortConflatedName},
	{"48", "a welcome to a socket that has left", "ok", abortWelcome},
	{"50", "a SUB binds a name that a ROUTER is connected to", "written", abortSubBinds},
}

// survived is what a child prints when no call has aborted it.
const survived = "the process has survived"

func TestLibzmqAborts(t *testing.T) {
	require.NoError(t, libzmq.Load())
	if name := os.Getenv(childVariable); name != "" {
		_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
		i := slices.IndexFunc(sequences, func(s sequence) bool { return s.name() == name })
		require.GreaterOrEqual(t, i, 0, name)
		sequences[i].run(t)
		fmt.Println(survived)
		os.Exit(0) // what the sequence left behind does not matter
	}
	for _, s := range sequences {
		t.Run(s.name(), func(t *testing.T) {
			t.Parallel()
			state, said := runSequence(t, s.name())
			if s.survives() {
				require.True(t, state.Success(), "%v: %s", state, said)
				require.Contains(t, said, survived)
				return
			}
			// Go's handler prints the signal and exits with status 2. On threads of libzmq the signal
			// itself ends the process.
			aborted := strings.Contains(said, "SIGABRT: abort") || strings.Contains(said, "SIGSEGV")
			// AddressSanitizer reports a C++ exception first.
			aborted = aborted || strings.Contains(said, "__cxa_throw")
			if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
				aborted = status.Signal() == syscall.SIGABRT || status.Signal() == syscall.SIGSEGV
			}
			require.True(t, aborted, "%v: %s", state, said)
			require.Regexp(t, s.says, said)
		})
	}
}

// survives reports whether the loaded libzmq survives a sequence. One with the draft API knows its
// types at the handshake, and keeps topics in a radix tree.
func (s sequence) survives() bool {
	return libzmq.Has("draft") && (s.number == "17" || s.number == "22")
}

func runSequence(t *testing.T, name string) (*os.ProcessState, string) {
	t.Helper()
	// Nothing looks for leaks in a process that aborts.
	cmd := childCommand(t, "TestLibzmqAborts", name, time.Minute, "ASAN_OPTIONS=detect_leaks=0")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	require.True(t, err == nil || errors.As(err, &exit), "%v", err)
	require.False(t, killed(cmd), "the child did not end")
	return cmd.ProcessState, string(out[:min(len(out), 2000)])
}

// must panics if a call fails before the call that matters.
func must(rc int) {
	if rc < 0 {
		panic(libzmq.ErrnoText(-rc) + " " + syscall.Errno(-rc).Error())
	}
}

func makeContext() libzmq.Context {
	c, rc := libzmq.OpenContext()
	must(rc)
	return c
}

func makeSocket(c libzmq.Context, socketType int) libzmq.Socket {
	s, rc := libzmq.OpenSocket(c, socketType)
	must(rc)
	return s
}

func setInt(s libzmq.Socket, option, value int) {
	must(libzmq.SetOption(s, option, binary.NativeEndian.AppendUint32(nil, uint32(int32(value)))))
}

// bindTCP binds to a free port and returns the endpoint.
func bindTCP(s libzmq.Socket) string {
	must(libzmq.Bind(s, "tcp://127.0.0.1:*"))
	var buf [256]byte
	n := libzmq.GetOption(s, libzmq.OptLastEndpoint, buf[:])
	must(n)
	return string(buf[:n-1])
}

// retry repeats a call until it does not fail with EAGAIN.
func retry(call func() int) {
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if rc := call(); rc != -int(syscall.EAGAIN) {
			must(rc)
			return
		}
	}
	panic("nothing arrived")
}

func send(s libzmq.Socket, parts ...string) int {
	b := make([][]byte, len(parts))
	for i, p := range parts {
		b[i] = []byte(p)
	}
	rc, _ := libzmq.Send(s, b, 0)
	return rc
}

// whileAlive gives a thread of libzmq time to abort.
func whileAlive() { time.Sleep(20 * time.Second) }
