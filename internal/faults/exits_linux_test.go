//go:build linux && !asan

package faults_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// An exit is a way in which a process may end, and where docs/safety.md says so.
type exit struct {
	functions []string // of which one failed
	says      string   // what the process writes
	section   string   // in docs/safety.md
}

var memory = []string{"malloc", "mmap", addressSpace}

var exits = []exit{
	{memory, "FATAL ERROR: OUT OF MEMORY (src/", "`alloc_assert`"},
	{memory, "std::bad_alloc", "`std::bad_alloc`"},
	{memory, "Assertion failed: m (src/socket_base.cpp:", "socket_base.cpp"},
	{memory, "Assertion failed: false (src/session_base.cpp:", "session_base.cpp"},
	{memory, "Assertion failed: rc == 0 (src/curve_mechanism_base.cpp:", "curve_mechanism_base.cpp"},
	{memory, "Cannot allocate memory (src/curve_client.cpp:", "curve_client.cpp"},
	{memory, "Cannot allocate memory (src/curve_server.cpp:", "curve_server.cpp"},
	{memory, "Cannot allocate memory (src/mechanism.cpp:", "mechanism.cpp"},
	{memory, "Cannot allocate memory (src/zmtp_engine.cpp:", "zmtp_engine.cpp"},
	{memory, "Assertion failed: *buff_ (src/trie.cpp:", "trie.cpp"},
	// In C: Go's own code would end with "panic".
	{memory, "SIGSEGV: segmentation violation\nPC=", "zmq_msg_init_size"},
	// libzmq's threads block all signals, so the process cannot print anything.
	{memory, "signal: segmentation fault", "zmq_msg_init_size"},
	{[]string{addressSpace}, "runtime: out of memory", "`fatal error: runtime: out of memory`"},
	{[]string{addressSpace}, "runtime: failed to create new OS thread", "`runtime: failed to create new OS thread`"},
	{[]string{addressSpace}, "pthread_create failed", "`pthread_create failed`"},
	// The race detector's own memory.
	{[]string{addressSpace}, "ThreadSanitizer: out of memory", "`ulimit -v`"},
	{[]string{"epoll_create1"}, "Too many open files (src/epoll.cpp:", "epoll.cpp"},
	{[]string{"eventfd"}, "Cannot allocate memory (src/ip.cpp:", "ip.cpp"},
	{[]string{"epoll_ctl"}, "Cannot allocate memory (src/epoll.cpp:", "epoll.cpp"},
	{[]string{"pthread_create", "threads"}, "Resource temporarily unavailable (src/thread.cpp:", "thread.cpp"},
	{[]string{"getifaddrs"}, "Too many open files (src/ip_resolver.cpp:", "ip_resolver.cpp"},
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

// Every exit that the tests accept as documented is in docs/safety.md.
func TestExitsAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/safety.md")
	require.NoError(t, err)
	_, remains, found := strings.Cut(string(text), "## What remains")
	require.True(t, found)
	for _, e := range exits {
		require.Contains(t, remains, e.section)
	}
}

// The same end is documented for what libzmq was refused, and is not for the binding.
func TestExitsOfTheBinding(t *testing.T) {
	t.Parallel()
	for _, said := range []string{"SIGSEGV: segmentation violation\nPC=0x1", "signal: segmentation fault"} {
		p := point{"tcp", "malloc", 1}
		require.True(t, documented(p, result{said: said, site: "a library, text+0x1"}))
		require.False(t, documented(p, result{said: said, site: inProgram + ", text+0x1"}))
	}
	require.True(t, documented(point{"tcp", "epoll_ctl", 1}, result{said: "Cannot allocate memory (src/epoll.cpp:100)", site: inProgram + ", text+0x1"}))
}
