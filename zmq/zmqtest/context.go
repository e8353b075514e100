package zmqtest

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/zmq"
)

// patience bounds each wait of this package. It only matters for tests that fail.
const patience = 30 * time.Second

// settle is how long goroutines and descriptors may take to go after the last context is closed.
var settle = patience / 3

// NewContext returns a context that is closed when the test and its subtests are done. The test
// then fails if the program leaked:
//
//   - a socket that was created from the context and is still open. Close it, or create it
//     with NewSocket or Pair, which close theirs. The error says where goroutines are still
//     blocked on it.
//   - a goroutine of go-zmq, or one that is in a call of go-zmq
//   - on Linux, a descriptor of an eventfd or of epoll, which pollers and libzmq's sockets have
//
// Goroutines and descriptors belong to the process. NewContext looks at them when no context of the
// process is open, so among parallel tests it is the last one that fails, and a context that the
// program leaves open hides them. Use a package such as goleak for that, and for the goroutines of
// the program itself.
//
// The settings are those of [zmq.NewContext].
func NewContext(t testing.TB, settings ...zmq.ContextSetting) *zmq.Context {
	t.Helper()
	before := contexts.opened()
	zctx, err := zmq.NewContext(settings...)
	if err != nil {
		contexts.closed()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		t.Helper()
		closeContext(t, zctx)
		if contexts.closed() {
			if err := before.compare(); err != nil {
				t.Error(err)
			}
		}
	})
	return zctx
}

func closeContext(t testing.TB, zctx *zmq.Context) {
	t.Helper()
	for _, s := range zctx.Sockets() {
		t.Errorf("leaked socket: %v is open at the end of the test, and %d goroutines are blocked on it; close it", s, s.Stats().Waiting)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := zctx.CloseContext(ctx); err != nil {
		t.Error(err)
	}
}

// contexts counts the open contexts of all tests, and holds what there was before the first.
var contexts registry

type registry struct {
	mu     sync.Mutex
	open   int
	before *snapshot
}

func (r *registry) opened() *snapshot {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == 0 {
		r.before = takeSnapshot()
	}
	r.open++
	return r.before
}

// closed reports whether that was the last context.
func (r *registry) closed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open--
	return r.open == 0
}

// A snapshot is what of go-zmq and libzmq exists in the process.
type snapshot struct {
	contexts    int64
	goroutines  map[string]string // by the line that begins with their ID, their stacks
	descriptors int
}

func takeSnapshot() *snapshot {
	return &snapshot{contexts: core.OpenContexts(), goroutines: ownGoroutines(), descriptors: descriptors()}
}

// compare returns an error if there is more than before. libzmq closes descriptors, and
// goroutines end, a moment after the context.
func (s *snapshot) compare() error {
	var err error
	for deadline := time.Now().Add(settle); ; time.Sleep(5 * time.Millisecond) {
		now := takeSnapshot()
		if now.contexts > 0 || core.OpenContexts() > 0 {
			return nil // another test, or the program, goes on
		}
		if err = s.more(now); err == nil || time.Now().After(deadline) {
			return err
		}
	}
}

func (s *snapshot) more(now *snapshot) error {
	for id, stack := range now.goroutines {
		if _, known := s.goroutines[id]; !known {
			return fmt.Errorf("leaked goroutine in go-zmq:\n%s", stack)
		}
	}
	if now.descriptors > s.descriptors {
		return fmt.Errorf("leaked descriptors: there are %d more of eventfds and epoll than before the test; close pollers, and what reads FD", now.descriptors-s.descriptors)
	}
	return nil
}

// ownGoroutines returns the goroutines that run a function of go-zmq or were started by one, but
// not the caller's and not those that only run tests of go-zmq.
func ownGoroutines() map[string]string {
	buf := make([]byte, 64<<10)
	n := runtime.Stack(buf, true)
	for n == len(buf) {
		buf = make([]byte, 2*len(buf))
		n = runtime.Stack(buf, true)
	}
	own := map[string]string{}
	for i, stack := range strings.Split(string(buf[:n]), "\n\n") {
		if i > 0 && belongs(stack) { // the first one is the caller's
			id, _, _ := strings.Cut(stack, "[")
			own[id] = stack
		}
	}
	return own
}

// roots begin the names of go-zmq's functions in a stack trace.
var roots = func() (prefixes []string) {
	module := strings.TrimSuffix(pkgPath(), "/zmq/zmqtest")
	for _, p := range []string{"/zmq.", "/zmq/", "/poller.", "/pool.", "/internal/core.", "/internal/lending."} {
		prefixes = append(prefixes, module+p)
	}
	return prefixes
}()

// pkgPath returns the import path of this package.
func pkgPath() string {
	pc, _, _, _ := runtime.Caller(0)
	name := runtime.FuncForPC(pc).Name()
	return name[:strings.LastIndex(name, ".")]
}

func belongs(stack string) bool {
	for line := range strings.Lines(stack) {
		line = strings.TrimPrefix(line, "created by ")
		for _, root := range roots {
			if strings.HasPrefix(line, root) && !strings.Contains(line, "_test.") && !strings.Contains(line, "/zmqtest.") {
				return true
			}
		}
	}
	return false
}

// descriptors counts the event descriptors of the process, or returns 0 if it cannot know.
func descriptors() (n int) {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	for _, e := range entries {
		target, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil && (target == "anon_inode:[eventfd]" || target == "anon_inode:[eventpoll]") {
			n++
		}
	}
	return n
}
