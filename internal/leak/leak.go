// Package leak makes a test run fail when it leaves goroutines or file descriptors
// behind. Only tests import it.
package leak

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// What else is looked for.
var others []func() error

// Also adds something to look for when the tests have run. It is for functions that
// Main is given.
func Also(check func() error) { others = append(others, check) }

// Main runs the tests of a package and then looks for what they left. Call it
// from TestMain. The functions in first are called before anything is counted: for
// what a package opens on first use and keeps for the life of the process.
func Main(m *testing.M, first ...func()) {
	warm()
	for _, f := range first {
		f()
	}
	before := descriptors()
	code := m.Run()
	if code == 0 {
		if err := check(before); err != nil {
			fmt.Fprintln(os.Stderr, "leak:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// warm opens what the runtime keeps for itself once it has needed it.
func warm() {
	r, w, err := os.Pipe()
	if err == nil {
		r.Close()
		w.Close()
	}
}

func check(before []string) error {
	// It looks for half a second, and others may have the processors for longer.
	deadline := time.Now().Add(10 * time.Second)
	for err := goleak.Find(); err != nil; err = goleak.Find() {
		if time.Now().After(deadline) {
			return err
		}
	}
	for _, other := range others {
		if err := other(); err != nil {
			return err
		}
	}
	if runtime.GOOS != "linux" {
		return nil
	}
	// libzmq closes descriptors on its own threads, shortly after zmq_ctx_term.
	var after []string
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if after = descriptors(); len(after) <= len(before) {
			return nil
		}
	}
	return fmt.Errorf("%d file descriptors before, %d after:\n%s", len(before), len(after), strings.Join(after, "\n"))
}

// descriptors lists the open file descriptors, except the one that lists them.
func descriptors() []string {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil
	}
	var open []string
	for _, e := range entries {
		target, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err != nil || strings.HasPrefix(target, "/proc/") {
			continue
		}
		open = append(open, e.Name()+" -> "+target)
	}
	return open
}
