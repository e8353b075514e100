//go:build unix

package aborts

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/testutil"
	"github.com/go-zmq/go-zmq/internal/testutil/intercept"
	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// A row is a cause of an abort or a hang of libzmq. The public API must prevent it: the process
// lives, reports typed errors, leaves nothing behind and exits with status 0.
type row struct {
	number string // of the row in docs/safety.md, or "trap" for one of its silent traps
	cause  string
	run    func(t *testing.T, report func(error)) // in a process of its own
	want   []wanted                               // its reports, in order
}

func (r row) name() string { return strings.ReplaceAll(r.number+" "+r.cause, " ", "-") }

// leftOut begins the only report of a row that cannot run here.
const leftOut = "left out: "

func TestMain(m *testing.M) { testutil.Main(m, intercept.CheckMessages, zmqtest.OpenReleasePipe) }

func TestAborts(t *testing.T) {
	all := slices.Concat(rows, linuxRows)
	if name := os.Getenv(childVariable); name != "" {
		i := slices.IndexFunc(all, func(r row) bool { return r.name() == name })
		require.GreaterOrEqual(t, i, 0, name)
		all[i].run(t, func(err error) { printReport(t, err) })
		return
	}
	for _, r := range all {
		t.Run(r.name(), func(t *testing.T) {
			t.Parallel()
			reports := runChild(t, "TestAborts", r.name(), childLimit)
			if len(reports) == 1 && strings.HasPrefix(reports[0].Error, leftOut) {
				t.Skip(reports[0].Error)
			}
			require.Len(t, reports, len(r.want), "%+v", reports)
			for i, w := range r.want {
				requireReport(t, w, reports[i], i)
			}
		})
	}
}

// wanted is an error that a child must report. Without is, it must report no error.
type wanted struct {
	is   error
	says []string // in its text
}

func want(is error, says ...string) wanted {
	if is != nil && !slices.Contains(slices.Collect(maps.Values(targets)), is) {
		panic(is.Error() + " is not among the targets")
	}
	return wanted{is, says}
}

// fine is a call that must succeed.
var fine = want(nil)

// times repeats a wanted report.
func times(n int, w wanted) []wanted { return slices.Repeat([]wanted{w}, n) }

const enocompatproto = syscall.Errno(libzmq.ENOCOMPATPROTO)

// targets are the errors that a child looks for with errors.Is, by the names that it reports.
var targets = map[string]error{
	"ErrAgain": zmq.ErrAgain, "ErrClosed": zmq.ErrClosed, "ErrTerminated": zmq.ErrTerminated, "ErrState": zmq.ErrState,
	"ErrNotSupported": zmq.ErrNotSupported, "ErrHostUnreachable": zmq.ErrHostUnreachable,
	"net.ErrClosed": net.ErrClosed, "io.ErrShortBuffer": io.ErrShortBuffer,
	"EINVAL": syscall.EINVAL, "EMSGSIZE": syscall.EMSGSIZE, "EMFILE": syscall.EMFILE, "EAGAIN": syscall.EAGAIN, "EPERM": syscall.EPERM, "ENOMEM": syscall.ENOMEM,
	"EEXIST": syscall.EEXIST, "EBADF": syscall.EBADF, "ENOTSOCK": syscall.ENOTSOCK, "ENOENT": syscall.ENOENT,
	"ENAMETOOLONG": syscall.ENAMETOOLONG, "ENOCOMPATPROTO": enocompatproto, "EPROTONOSUPPORT": syscall.EPROTONOSUPPORT, "EADDRINUSE": syscall.EADDRINUSE,
	"ENOTCONN": syscall.ENOTCONN,
}

// reported is one line of a child's report.
type reported struct {
	Error string   // its text; "" for none
	Typed bool     // it is a *zmq.Error that names its operation
	Is    []string // of targets
}

const (
	childVariable = "GOZMQ_TEST_ABORT" // the name of the row that a child runs
	reportPrefix  = "report: "
	childLimit    = 2 * time.Minute
)

func printReport(t *testing.T, err error) {
	var r reported
	if err != nil {
		r.Error = err.Error()
		var e *zmq.Error
		r.Typed = errors.As(err, &e) && e.Op != ""
		for name, target := range targets {
			if errors.Is(err, target) {
				r.Is = append(r.Is, name)
			}
		}
	}
	line, jsonErr := json.Marshal(r)
	require.NoError(t, jsonErr)
	_, writeErr := os.Stdout.WriteString(reportPrefix + string(line) + "\n")
	require.NoError(t, writeErr)
}

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

// runChild runs a test in a child, which must end without an error, and returns its reports.
func runChild(t *testing.T, test, name string, limit time.Duration, env ...string) []reported {
	t.Helper()
	cmd := childCommand(t, test, name, limit, env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	said := stdout.String() + stderr.String()
	said = said[:min(len(said), 3000)]
	require.False(t, killed(cmd), "the child did not end: %s", said)
	require.NoError(t, err, "%s", said)
	for _, word := range []string{"Assertion failed", "SIGABRT", "SIGSEGV", "terminate called"} {
		require.NotContains(t, stderr.String(), word)
	}
	var reports []reported
	for lines := bufio.NewScanner(&stdout); lines.Scan(); {
		if line, ok := bytes.CutPrefix(lines.Bytes(), []byte(reportPrefix)); ok {
			var r reported
			require.NoError(t, json.Unmarshal(line, &r))
			reports = append(reports, r)
		}
	}
	return reports
}

// killed reports whether a child was killed because it did not end.
func killed(cmd *exec.Cmd) bool {
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

func requireReport(t *testing.T, w wanted, r reported, i int) {
	t.Helper()
	if w.is == nil {
		require.Empty(t, r.Error, "report %d", i)
		return
	}
	require.NotEmpty(t, r.Error, "report %d: no error, where %v was wanted", i, w.is)
	require.True(t, r.Typed || errors.Is(w.is, io.ErrShortBuffer), "report %d is no *zmq.Error with an Op: %s", i, r.Error)
	require.True(t, slices.ContainsFunc(r.Is, func(name string) bool { return targets[name] == w.is }), "report %d is %v, not %v: %s", i, r.Is, w.is, r.Error)
	for _, words := range w.says {
		require.Contains(t, r.Error, words, "report %d", i)
	}
}
