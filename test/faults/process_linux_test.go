//go:build linux && !asan

package faults_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

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
		last := int64(p.N)
		if f.after {
			last = 1 << 40
		}
		shared.fail(f.function, f.errno, int64(p.N), last)
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

// runChild runs a test in a process of its own and returns its output. The process must end. prepare
// changes its control and command.
func runChild(t *testing.T, library, test string, p point, prepare func(*control, *exec.Cmd)) (said string, err error) {
	t.Helper()
	dir := t.TempDir()
	shared, err := openControl(filepath.Join(dir, "control"))
	require.NoError(t, err)
	defer shared.close()
	cmd := command(library, dir, test, p)
	prepare(shared, cmd)
	said, hanging, err := run(cmd)
	require.False(t, hanging, "%s", cut(said))
	return cut(said), err
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

// The functions that can fail, in the order of testdata/faults.c. "malloc" is also
// calloc, realloc, posix_memalign and C++'s new, which come down to it.
var functions = []string{
	"malloc", "mmap", "eventfd", "epoll_create1", "epoll_ctl", "pthread_create", "socket", "connect", "bind", "listen",
	"accept4", "getaddrinfo", "getifaddrs", "fcntl", "send", "recv", "mkdtemp",
}

const (
	modeOff int64 = iota
	modeLearning
	modeArmed
)

// control is what a process and its parent share with the library that makes calls
// fail: struct control of testdata/faults.c.
type control struct {
	loaded      int64
	mode        int64
	function    int64
	first, last int64 // the calls that fail, counted from 1
	errno       int64
	hold        int64 // they take until nothing is to fail any more
	hits        int64
	site        uint64
	calls       [17]int64
	ranges      int64
	ranged      [16]addresses
	known       int64
	runtime     [64]uint64
}

type addresses struct{ low, high, program uint64 }

const controlVariable = "GOZMQ_TEST_FAULT_CONTROL" // names the file that is shared

// openControl maps the file at path.
func openControl(path string) (*control, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	const size = int(unsafe.Sizeof(control{}))
	if err := file.Truncate(int64(size)); err != nil {
		return nil, err
	}
	shared, err := syscall.Mmap(int(file.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return (*control)(unsafe.Pointer(unsafe.SliceData(shared))), nil
}

func (c *control) close() {
	_ = syscall.Munmap(unsafe.Slice((*byte)(unsafe.Pointer(c)), unsafe.Sizeof(*c)))
}

// fail makes the first to last call of a function fail once it is armed.
func (c *control) fail(function string, errno syscall.Errno, first, last int64) {
	c.function, c.errno = int64(slices.Index(functions, function)), int64(errno)
	c.first, c.last = first, last
}

func (c *control) set(mode int64) { atomic.StoreInt64(&c.mode, mode) }

func (c *control) struck() bool { return atomic.LoadInt64(&c.hits) > 0 }

// locate finds the code whose calls are made to fail: libzmq, its dependencies, and the program
// itself, which has the binding's C code. It is called when libzmq is loaded.
func (c *control) locate(t *testing.T) {
	t.Helper()
	file, err := os.Open("/proc/self/maps")
	require.NoError(t, err)
	defer file.Close()
	program, err := os.Executable()
	require.NoError(t, err)
	for lines := bufio.NewScanner(file); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 6 || !strings.Contains(fields[1], "x") {
			continue
		}
		name := filepath.Base(fields[5])
		itself := fields[5] == program
		if !itself && !strings.HasPrefix(name, "libzmq") && !strings.HasPrefix(name, "libstdc++") && !strings.HasPrefix(name, "libsodium") {
			continue
		}
		low, high, _ := strings.Cut(fields[0], "-")
		a := addresses{low: parseHex(t, low), high: parseHex(t, high)}
		if itself {
			a.program = 1
		}
		require.Less(t, int(c.ranges), len(c.ranged))
		c.ranged[c.ranges] = a
		c.ranges++
	}
	require.Positive(t, c.ranges)
}

func parseHex(t *testing.T, digits string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(digits, 16, 64)
	require.NoError(t, err)
	return n
}
