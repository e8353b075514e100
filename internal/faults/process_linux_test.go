//go:build linux && !asan

package faults_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// How a point ended.
const (
	endedInError = "an error"
	hadNoEffect  = "no effect"
	endedProcess = "the process ended"
	failed       = "what must hold did not"
	hung         = "the process hung"
)

type result struct {
	end    string
	said   string // what the process wrote
	struck bool   // the fault happened
	site   string // the code that was told of it
	calls  []int64
}

// preload compiles the library that makes functions fail.
func preload(t *testing.T) string {
	t.Helper()
	compiler := os.Getenv("CC")
	if compiler == "" {
		compiler = "cc"
	}
	library := filepath.Join(t.TempDir(), "faults.so")
	out, err := exec.Command(compiler, "-O2", "-Wall", "-shared", "-fPIC", "-o", library, "testdata/faults.c", "-ldl").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return library
}

// try runs a point in a process of its own. It may be called on any goroutine.
func try(t *testing.T, library string, p point) (r result) {
	dir, err := os.MkdirTemp("", "faults")
	if err != nil {
		return result{end: failed, said: err.Error()}
	}
	defer os.RemoveAll(dir)
	shared, err := openControl(filepath.Join(dir, "control"))
	if err != nil {
		return result{end: failed, said: err.Error()}
	}
	defer shared.close()
	if i := slices.IndexFunc(faults, func(f fault) bool { return f.name == p.Function }); i >= 0 {
		f := faults[i]
		shared.function = int64(slices.Index(functions, f.function))
		shared.first, shared.last, shared.errno = int64(p.N), int64(p.N), int64(f.errno)
		if f.after {
			shared.last = 1 << 40
		}
	} else {
		shared.function = -1
	}
	cmd := command(library, dir, "TestPoint", p)
	said, hanging, err := run(cmd)
	if err != nil {
		said += "\n" + err.Error()
	}
	r = result{end: endOf(said, hanging, err), said: cut(said), struck: shared.struck(), calls: slices.Clone(shared.calls[:])}
	r.site = siteOf(shared)
	return r
}

// command is a test in a process of its own, with its point, the control in dir and
// the library.
func command(library, dir, test string, p point) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), pointVariable+"="+p.String(), controlVariable+"="+filepath.Join(dir, "control"), "LD_PRELOAD="+library,
		"TMPDIR="+dir, "GOTRACEBACK=single", "GORACE=atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// run waits for a command, and ends it when it takes much too long.
func run(cmd *exec.Cmd) (said string, hanging bool, err error) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return "", false, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	// Child and parent may be stopped together, so time is counted in ticks.
	ctx, cancel := patience(3 * childTicks)
	defer cancel()
	select {
	case err = <-ended:
		return out.String(), false, err
	case <-ctx.Done():
	}
	_ = cmd.Process.Signal(syscall.SIGQUIT) // for the stacks
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		_ = cmd.Process.Kill()
		<-ended
	}
	return out.String(), true, nil
}

func endOf(said string, hanging bool, err error) string {
	_, outcome, found := strings.Cut(said, outcomePrefix)
	switch {
	case hanging:
		return hung
	case err != nil && strings.Contains(said, "--- FAIL"):
		return failed
	case err != nil && strings.Contains(said, "leak:"):
		return failed
	case err != nil:
		return endedProcess
	case !found:
		return failed
	case strings.HasPrefix(outcome, "<nil>"):
		return hadNoEffect
	}
	return endedInError
}

// cut keeps the beginning of a long text: a stack trace's, with its reason, and a few
// lines of its end.
func cut(said string) string {
	const most = 6000
	if len(said) <= most {
		return said
	}
	return said[:most] + "\n...\n" + said[len(said)-100:]
}

// inProgram begins the name of a site in the binding's C code.
const inProgram = "the program"

// siteOf names the code that the first call that failed came from, as an offset in a
// file, which addr2line takes.
func siteOf(c *control) string {
	if c.site == 0 {
		return "nowhere"
	}
	for i := range c.ranges {
		a := c.ranged[i]
		if a.low <= c.site && c.site < a.high {
			which := "a library"
			if a.program != 0 {
				which = inProgram
			}
			return fmt.Sprintf("%s, text+%#x", which, c.site-a.low)
		}
	}
	return fmt.Sprintf("%#x", c.site)
}
