// Package testutil has the set-up that our own tests share: a TestMain that finds leaks, and
// signals that interrupt system calls. Package zmq/zmqtest has what the tests of any program need.
package testutil

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The checks that Also added.
var others []func() error

// Also adds a check that Main makes after the tests. Call it from a function that is passed to Main.
func Also(check func() error) { others = append(others, check) }

// Main runs the tests of a package and fails if they leave goroutines or file descriptors. Call it
// from TestMain. It calls the functions in first before it counts, so that they can open what a
// package keeps until the process ends.
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

// warm opens the descriptors that the runtime keeps once it has needed them.
func warm() {
	r, w, err := os.Pipe()
	if err == nil {
		r.Close()
		w.Close()
	}
}

func check(before []string) error {
	// goleak waits for half a second, which is too short on a loaded machine.
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
