//go:build unix

package zmq_test

import (
	"bufio"
	"bytes"
	"context"
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
	"github.com/go-zmq/go-zmq/zmq"
)

// libzmq aborts the process, or freezes it, in the situations that docs/safety.md
// lists. Each death is one of them, brought about through the public API in a
// process of its own. That process must live, report typed errors, leave nothing
// behind and exit with status 0. The names begin with the row of the list.
type death struct {
	name string
	run  func(t *testing.T, report func(error)) // in the child
	want []wanted                               // what it reports, in order
}

// wanted is an error that a child has to report; without is, none.
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

// times repeats what is wanted.
func times(n int, w wanted) []wanted { return slices.Repeat([]wanted{w}, n) }

const enocompatproto = syscall.Errno(libzmq.ENOCOMPATPROTO)

// targets are what errors.Is may be asked for, by the name under which the child
// tells its parent.
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
	deathVariable = "GOZMQ_TEST_DEATH" // tells a child which death it is to die
	reportPrefix  = "report: "
	deathLimit    = 2 * time.Minute // for one child
)

// testDeaths runs each death in a child: the same test of the same binary, which
// then finds its name in the environment.
func testDeaths(t *testing.T, deaths []death) {
	if name := os.Getenv(deathVariable); name != "" {
		i := slices.IndexFunc(deaths, func(d death) bool { return d.name == name })
		require.GreaterOrEqual(t, i, 0, name)
		deaths[i].run(t, func(err error) { printReport(t, err) })
		return
	}
	test := t.Name()
	for _, d := range deaths {
		t.Run(strings.ReplaceAll(d.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			reports := runDeath(t, test, d.name)
			require.Len(t, reports, len(d.want), "%+v", reports)
			for i, w := range d.want {
				requireReport(t, w, reports[i], i)
			}
		})
	}
}

// guarded returns the deaths that the guard prevents, or none if it is not active.
// TestGuardIsActive says where it must be.
func guarded(deaths []death) []death {
	if !zmq.Has("guard") {
		return nil
	}
	return deaths
}

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

func runDeath(t *testing.T, test, name string) []reported {
	t.Helper()
	return runChild(t, test, name, deathLimit)
}

// runChild runs a test in a child, which must end within a limit and may have more in its
// environment.
func runChild(t *testing.T, test, name string, limit time.Duration, env ...string) []reported {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), deathVariable+"="+name, "GOTRACEBACK=single",
		// The race detector's process would sleep for a second at its end.
		"GORACE=atexit_sleep_ms=0 "+os.Getenv("GORACE"),
		// Under AddressSanitizer, malloc too is to fail as it does without.
		"ASAN_OPTIONS=allocator_may_return_null=1:"+os.Getenv("ASAN_OPTIONS"))
	cmd.Env = append(cmd.Env, env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	said := stdout.String() + stderr.String()
	said = said[:min(len(said), 3000)]
	require.NoError(t, ctx.Err(), "the child did not end: %s", said)
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

func TestDeath(t *testing.T) {
	testDeaths(t, slices.Concat(misuseDeaths, attachDeaths, inprocDeaths, nameDeaths, guarded(hangUpDeaths), routingDeaths, optionDeaths, trapDeaths, peerDeaths(), draftDeaths(), draftTypeDeaths()))
}

// requireWorks sends a message from one socket to the other, and back if the
// types allow it.
func requireWorks(t *testing.T, from, to *zmq.Socket) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	require.NoError(t, from.Send(ctx, []byte("does it work?")))
	got, err := to.RecvBytes(ctx)
	require.NoError(t, err)
	require.Equal(t, "does it work?", string(got))
}
