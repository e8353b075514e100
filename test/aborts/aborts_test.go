//go:build unix

package aborts

import (
	"bytes"
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
	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/test/testutil/intercept"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// A row is a cause of an abort or a hang of libzmq. The public API must prevent it: the process
// lives, returns typed errors, leaves nothing behind and exits with status 0.
type row struct {
	number string // of the row in docs/safety.md, or "trap" for one of its silent traps
	cause  string
	run    func(t *testing.T) // in a process of its own
}

func (r row) name() string { return strings.ReplaceAll(r.number+" "+r.cause, " ", "-") }

// leftOut begins what a row prints that cannot run here.
const leftOut = "left out: "

func TestMain(m *testing.M) { testutil.Main(m, intercept.CheckMessages, zmqtest.OpenReleasePipe) }

func TestAborts(t *testing.T) {
	all := slices.Concat(rows, linuxRows)
	if name := os.Getenv(childVariable); name != "" {
		i := slices.IndexFunc(all, func(r row) bool { return r.name() == name })
		require.GreaterOrEqual(t, i, 0, name)
		all[i].run(t)
		return
	}
	for _, r := range all {
		t.Run(r.name(), func(t *testing.T) {
			t.Parallel()
			if _, why, found := strings.Cut(runChild(t, "TestAborts", r.name(), childLimit), leftOut); found {
				t.Skip(why)
			}
		})
	}
}

// where runs a row only if that is possible.
func where(possible func() error, run func(*testing.T)) func(*testing.T) {
	return func(t *testing.T) {
		if err := possible(); err != nil {
			fmt.Println(leftOut + err.Error())
			return
		}
		run(t)
	}
}

// refused requires a *zmq.Error that is an error and has these words in its text.
func refused(t *testing.T, err, is error, says ...string) {
	t.Helper()
	require.ErrorIs(t, err, is)
	var e *zmq.Error
	require.ErrorAs(t, err, &e)
	require.NotEmpty(t, e.Op)
	for _, words := range says {
		require.ErrorContains(t, err, words)
	}
}

// supported reports whether the loaded libzmq supports what a call wants. If it does not, the call
// must have returned ErrNotSupported.
func supported(t *testing.T, err error, has bool, says ...string) bool {
	t.Helper()
	if has {
		require.NoError(t, err)
	} else {
		refused(t, err, zmq.ErrNotSupported, says...)
	}
	return has
}

// needs ends the test if the loaded libzmq does not support what a call wants.
func needs(t *testing.T, err error, has bool, says ...string) {
	t.Helper()
	if !supported(t, err, has, says...) {
		t.Skipf("the loaded libzmq does not support this: %v", err)
	}
}

const enocompatproto = syscall.Errno(libzmq.ENOCOMPATPROTO)

const (
	childVariable = "GOZMQ_TEST_ABORT" // the name of the row that a child runs
	childLimit    = 2 * time.Minute
)

// childCommand returns the command that runs a test of this binary in a child, which is killed after
// a limit.
func childCommand(t *testing.T, test, name string, limit time.Duration, env ...string) *exec.Cmd {
	t.Helper()
	ctx := zmqtest.Timeout(t, limit)
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), childVariable+"="+name, "GOTRACEBACK=single",
		// A process with the race detector sleeps for a second when it ends.
		"GORACE=atexit_sleep_ms=0 "+os.Getenv("GORACE"),
		// malloc of AddressSanitizer aborts by default when there is no memory.
		"ASAN_OPTIONS=allocator_may_return_null=1:"+os.Getenv("ASAN_OPTIONS"))
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// runChild runs a test in a child, which must end without an error, and returns what it printed.
func runChild(t *testing.T, test, name string, limit time.Duration, env ...string) string {
	t.Helper()
	cmd := childCommand(t, test, name, limit, env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	said := stdout.String() + stderr.String()
	require.False(t, killed(cmd), "the child did not end: %.3000s", said)
	require.NoError(t, err, "%.3000s", said)
	for _, word := range []string{"Assertion failed", "SIGABRT", "SIGSEGV", "terminate called"} {
		require.NotContains(t, stderr.String(), word)
	}
	return stdout.String()
}

// killed reports whether a child was killed because it did not end.
func killed(cmd *exec.Cmd) bool {
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// rows are the causes of aborts and hangs on every system. linuxRows are those that need Linux.
var rows = []row{
	{"01", "many goroutines in one socket", tryTogether},
	{"01", "sockets of a proxy used by all and closed", tryInProxy},
	{"04", "libzmq's descriptor closed by the program", tryStrayClose},
	{"04b", "UseFD with a bad descriptor", tryUseFD},
	{"05", "use after close", tryAfterClose},
	{"05", "use after the context's close", tryAfterContext},
	{"05", "use after shutdown", tryAfterShutdown},
	{"06", "monitors that are not read", tryMonitors},
	{"07", "a socket with Conflate", tryConflate},
	{"08", "disconnect in the middle of a message", tryHalfRead},
	{"08", "disconnect after a look at the events", tryLook},
	{"08", "disconnect while another waits for the message", tryForgottenWaiter},
	{"09", "a routing id used twice", tryRoutingID},
	{"09", "a routing id like those that libzmq makes up", tryGuessedID},
	{"11", "misuse of messages", tryMessages},
	{"12", "lengths that no memory holds", tryLengths},
	{"13", "Immediate changed after Connect", tryImmediate},
	{"16", "absurd number of sockets", tryMaxSockets},
	{"16b", "a CPU that does not exist", tryAffinity},
	{"16b", "a scheduling policy that does not exist", tryPolicy},
	{"16c", "absurd number of I/O threads", tryIOThreads},
	{"17", "draft types without the draft API", tryDrafts},
	{"18", "no place to settle inproc names", trySettling},
	{"18", "sockets of every type, connected to unbound inproc names", tryUnboundNames},
	{"18", "inproc names connected to during the close", tryLateConnect},
	{"19", "RouterMandatory on REP", tryRepMandatory},
	{"20", "disconnect from an unbound inproc name", tryPendingInproc},
	{"22", "topic of a megabyte", tryLongTopic},
	{"22", "topic of a megabyte sent by an XSUB", trySentTopic},
	{"22", "topic of a megabyte from a peer", tryPeersTopic},
	{"22", "a long subscription through a proxy", trySubscription},
	{"22b", "topics of 246 to 255 bytes", tryMiddlingTopic},
	{"23", "more sockets in a poller than descriptors", tryManyItems},
	{"25", "nil and empty arguments", tryNil},
	{"25", "a proxy of nothing", tryNoProxy},
	{"26", "udp", tryUDP},
	{"29", "peers of older protocols at a bad moment", tryOldPeers},
	{"32", "contexts with CURVE that end beside others", tryCurveContexts},
	{"33", "bad values in a libzmq built with ZMQ_ACT_MILITANT", tryBadValues},
	{"36", "thread-safe types over inproc", tryLocks},
	{"37", "a DGRAM without a socket", tryUnboundDgram},
	{"37b", "parts of datagrams", tryDatagramParts},
	{"37c", "a DGRAM over IPv6", tryDgramIPv6},
	{"38", "datagrams longer than the buffer", tryLongDatagrams},
	{"38b", "datagrams that a proxy sends", tryProxiedDatagrams},
	{"41", "groups of more than 14 bytes", tryLongGroups},
	{"42", "a hello to a socket that has left", tryHello},
	{"43", "messages of extreme draft options", tryDraftOptions},
	{"44", "a PAIR binds a name that others are connected to", tryPairThatBinds},
	{"45", "the id of a connection to an unbound inproc name is handed over", tryHandover},
	{"46", "Conflate and inproc names", tryConflatedName},
	{"47", "several parts sent with Conflate", tryConflatedParts},
	{"48", "a welcome to a socket that has left", tryWelcome},
	{"50", "a SUB binds a name that a ROUTER or REP is connected to", trySubThatBinds},
	{"51", "a socket disconnects from a name that it bound", tryOwnName},
	{"52", "HelloMessage with ProbeRouter", tryHelloProbe},
	{"53", "options that WebSockets do not support", tryWS},
	{"54", "UseFD with a socket of packets", tryPackets},
	{"55", "XPubManual turned off", tryManualOff},
	{"56", "unbind after a look at the events", tryUnbindAfterLook},
	{"trap", "ports that libzmq misreads", tryPorts},
	{"trap", "ipc bind that deletes a file", tryDeletedFile},
	{"trap", "SendHWM of a SUB", tryLimitedSubscriptions},
	{"trap", "keep-alive times that the system refuses", tryKeepalive},
}
