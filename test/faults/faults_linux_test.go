//go:build linux && !asan

package faults_test

import (
	"cmp"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	all     = flag.Bool("all", false, "try every point instead of some of each kind")
	only    = flag.String("point", "", "try this point alone, such as tcp/malloc/17")
	workers = flag.Int("workers", 2, "how many points are tried at a time")
)

// A point is one thing that fails in one scenario.
type point struct {
	Scenario string
	Function string // what fails: the name of one of the faults
	N        int    // the n-th call, or the n that are left
}

func (p point) String() string { return fmt.Sprintf("%s/%s/%d", p.Scenario, p.Function, p.N) }

// Faults that are no failing function.
const (
	descriptors      = "descriptors"       // all but n are taken
	descriptorsLater = "descriptors-later" // when the scenario has its sockets
	addressSpace     = "address-space"     // all but the n-th step of it
)

// A fault is a way in which a function fails.
type fault struct {
	name     string
	function string
	errno    syscall.Errno
	after    bool // and from then on always
}

// What each function can really answer, and what libzmq tells apart.
var faults = []fault{
	{"malloc", "malloc", syscall.ENOMEM, false},
	{"mmap", "mmap", syscall.ENOMEM, false},
	{"eventfd", "eventfd", syscall.ENOMEM, false},
	{"eventfd=EMFILE", "eventfd", syscall.EMFILE, false},
	{"epoll_create1", "epoll_create1", syscall.EMFILE, false},
	{"epoll_ctl", "epoll_ctl", syscall.ENOMEM, false},
	{"pthread_create", "pthread_create", syscall.EAGAIN, false},
	{"threads", "pthread_create", syscall.EAGAIN, true},
	{"socket", "socket", syscall.EMFILE, false},
	{"socket=ENOBUFS", "socket", syscall.ENOBUFS, false},
	{"connect", "connect", syscall.ECONNREFUSED, false},
	{"connect=ENETUNREACH", "connect", syscall.ENETUNREACH, false},
	{"bind", "bind", syscall.EADDRINUSE, false},
	{"bind=ENOSPC", "bind", syscall.ENOSPC, false},
	{"listen", "listen", syscall.EADDRINUSE, false},
	{"accept4", "accept4", syscall.EMFILE, false},
	{"accept4=ECONNABORTED", "accept4", syscall.ECONNABORTED, false},
	{"getaddrinfo", "getaddrinfo", syscall.EAGAIN, false},
	{"getaddrinfo=ENOMEM", "getaddrinfo", syscall.ENOMEM, false},
	{"getifaddrs", "getifaddrs", syscall.EMFILE, false},
	{"fcntl", "fcntl", syscall.EMFILE, false},
	{"send", "send", syscall.ECONNRESET, false},
	{"accept4=ENOMEM", "accept4", syscall.ENOMEM, false},
	{"recv", "recv", syscall.ECONNRESET, false},
	{"mkdtemp", "mkdtemp", syscall.ENOSPC, false},
}

// leastPoints is how many a run of all scenarios has, also one that tries some of each
// kind: those have about 570, since threads make the number of calls vary.
const leastPoints = 500

// tally counts the points by how they ended.
var tally struct{ points, failed, none, exited, others atomic.Int64 }

// TestFaults tries the points, and says at the end how many there were and how they
// ended.
func TestFaults(t *testing.T) {
	library := preload(t)
	if *only != "" {
		tryAll(t, library, []point{parsePoint(t, *only)}, true)
		return
	}
	ran, called := 0, map[string]int{}
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			calls := count(t, library, s.name)
			for name, n := range calls {
				called[name] += n
			}
			ran++
			tryAll(t, library, choose(s.name, calls), false)
			if *all {
				tryRest(t, library, s.name, calls)
			}
		})
	}
	t.Logf("faults: %d points, %d ended in an error, %d had no effect, %d ended the process as documented, %d others",
		tally.points.Load(), tally.failed.Load(), tally.none.Load(), tally.exited.Load(), tally.others.Load())
	if ran < len(scenarios) {
		return // the others were not asked for
	}
	// A library that does not catch the calls would leave nothing to fail.
	for _, name := range functions {
		require.Positive(t, called[name], "no scenario calls %s", name)
	}
	require.GreaterOrEqual(t, tally.points.Load(), int64(leastPoints))
}

func parsePoint(t *testing.T, text string) point {
	t.Helper()
	parts := strings.Split(text, "/")
	require.Len(t, parts, 3, "a point looks like tcp/malloc/17")
	n, err := strconv.Atoi(parts[2])
	require.NoError(t, err)
	return point{parts[0], parts[1], n}
}

// count runs a scenario in which nothing fails, and returns how often each function
// was called.
func count(t *testing.T, library, scenario string) map[string]int {
	t.Helper()
	r := try(t, library, point{Scenario: scenario, Function: "nothing"})
	require.Equal(t, hadNoEffect, r.end, "without any fault: %s", r.said)
	calls := map[string]int{}
	for i, name := range functions {
		calls[name] = int(r.calls[i])
	}
	return calls
}

// choose lists the points of a scenario: all of them, or some of each kind.
func choose(scenario string, calls map[string]int) []point {
	var points []point
	for _, f := range faults {
		for _, n := range some(1, calls[f.function], 2) {
			points = append(points, point{scenario, f.name, n})
		}
	}
	for _, n := range some(0, 32, 2) {
		points = append(points, point{scenario, descriptors, n}, point{scenario, descriptorsLater, n})
	}
	for _, n := range some(0, 24, 2) {
		points = append(points, point{scenario, addressSpace, n})
	}
	return points
}

// some returns the numbers from first to last, or a few spread over them.
func some(first, last, few int) []int {
	var numbers []int
	for n := first; n <= last; n++ {
		numbers = append(numbers, n)
	}
	if *all || len(numbers) <= few {
		return numbers
	}
	var chosen []int
	for i := range few {
		chosen = append(chosen, numbers[i*(len(numbers)-1)/(few-1)])
	}
	return slices.Compact(chosen)
}

// tryRest goes on where the count ended, until nothing fails any more: threads make the
// number of calls vary.
func tryRest(t *testing.T, library, scenario string, calls map[string]int) {
	t.Helper()
	for _, f := range faults {
		for n := calls[f.function] + 1; ; n++ {
			p := point{scenario, f.name, n}
			r := try(t, library, p)
			if !r.struck && r.end == hadNoEffect {
				break
			}
			judge(t, p, r)
		}
	}
}

// tryAll tries points, several at a time.
func tryAll(t *testing.T, library string, points []point, show bool) {
	t.Helper()
	// Neighbours are alike, so that slow ones do not come together.
	results := make([]result, len(points))
	var next atomic.Int64
	var group sync.WaitGroup
	for range *workers {
		group.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(points) {
					return
				}
				results[i] = try(t, library, points[i])
			}
		})
	}
	group.Wait()
	for i, r := range results {
		if show {
			t.Logf("%s: %s, called from %s\n%s", points[i], r.end, r.site, r.said)
		}
		judge(t, points[i], r)
	}
}

// judge counts a result, and fails the test for one that must not be.
func judge(t *testing.T, p point, r result) {
	t.Helper()
	if !r.struck && r.end == hadNoEffect {
		return // this point was not reached
	}
	tally.points.Add(1)
	switch {
	case r.end == endedInError:
		tally.failed.Add(1)
	case r.end == hadNoEffect:
		tally.none.Add(1)
	case r.end == endedProcess && documented(p, r):
		tally.exited.Add(1)
	default:
		tally.others.Add(1)
		t.Errorf("%s: %s; alone: go test ./test/faults -v -run TestFaults -point %s\ncalled from %s\n%s",
			p, cmp.Or(r.end, "nothing was reported"), p, r.site, r.said)
	}
}

// An exit is a way in which a process may end. "What remains" in docs/safety.md lists them all.
type exit struct {
	functions []string // of which one failed
	says      string   // what the process writes
}

var memory = []string{"malloc", "mmap", addressSpace}

var exits = []exit{
	{memory, "FATAL ERROR: OUT OF MEMORY (src/"},
	{memory, "std::bad_alloc"},
	{memory, "Assertion failed: m (src/socket_base.cpp:"},
	{memory, "Assertion failed: false (src/session_base.cpp:"},
	{memory, "Assertion failed: rc == 0 (src/curve_mechanism_base.cpp:"},
	{memory, "Cannot allocate memory (src/curve_client.cpp:"},
	{memory, "Cannot allocate memory (src/curve_server.cpp:"},
	{memory, "Cannot allocate memory (src/mechanism.cpp:"},
	{memory, "Cannot allocate memory (src/zmtp_engine.cpp:"},
	{memory, "Assertion failed: *buff_ (src/trie.cpp:"},
	// In C: Go's own code would end with "panic".
	{memory, "SIGSEGV: segmentation violation\nPC="},
	// libzmq's threads block all signals, so the process cannot print anything.
	{memory, "signal: segmentation fault"},
	{[]string{addressSpace}, "runtime: out of memory"},
	{[]string{addressSpace}, "runtime: failed to create new OS thread"},
	{[]string{addressSpace}, "pthread_create failed"},
	// The race detector's own memory.
	{[]string{addressSpace}, "ThreadSanitizer: out of memory"},
	{[]string{"epoll_create1"}, "Too many open files (src/epoll.cpp:"},
	{[]string{"eventfd"}, "Cannot allocate memory (src/ip.cpp:"},
	{[]string{"epoll_ctl"}, "Cannot allocate memory (src/epoll.cpp:"},
	{[]string{"pthread_create", "threads"}, "Resource temporarily unavailable (src/thread.cpp:"},
	{[]string{"getifaddrs"}, "Too many open files (src/ip_resolver.cpp:"},
}

// sources is where a libzmq was built, of which the usual ones say nothing.
var sources = regexp.MustCompile(`\(/\S*/src/`)

// documented reports whether the process may end in that way. What the binding itself is
// refused must be an error; epoll_ctl is what libzmq calls by way of guard_linux.c.
func documented(p point, r result) bool {
	if strings.HasPrefix(r.site, inProgram) && p.Function != "epoll_ctl" {
		return false
	}
	said := sources.ReplaceAllString(r.said, "(src/")
	return slices.ContainsFunc(exits, func(e exit) bool {
		return slices.Contains(e.functions, p.Function) && strings.Contains(said, e.says)
	})
}
