//go:build linux && !asan

package faults_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

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

func (c *control) set(mode int64) { atomic.StoreInt64(&c.mode, mode) }

func (c *control) struck() bool { return atomic.LoadInt64(&c.hits) > 0 }

// locate finds the code whose calls are made to fail: libzmq, its dependencies, and the program
// itself, which has the binding's C code. It is called when libzmq is loaded.
func (c *control) locate(t *testing.T) {
	t.Helper()
	maps, err := os.Open("/proc/self/maps")
	require.NoError(t, err)
	defer maps.Close()
	program, err := os.Executable()
	require.NoError(t, err)
	for lines := bufio.NewScanner(maps); lines.Scan(); {
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
