package zmqtest_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A recorder stands in for the testing.TB of a test that fails.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	cleanups []func()
	errors   []string
	ctx      context.Context
	cancel   context.CancelFunc
}

// record runs a test that may fail, with its cleanups, and returns what it reported.
func record(t *testing.T, test func(t testing.TB)) (errors string) {
	t.Helper()
	r := &recorder{TB: t}
	r.ctx, r.cancel = context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { // so that Fatal can end it
		defer close(done)
		test(r)
	}()
	<-done
	r.cancel()
	for len(r.cleanups) > 0 {
		last := r.cleanups[len(r.cleanups)-1]
		r.cleanups = r.cleanups[:len(r.cleanups)-1]
		last()
	}
	return strings.Join(r.errors, "\n")
}

func (r *recorder) Helper()                  {}
func (r *recorder) Cleanup(f func())         { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Context() context.Context { return r.ctx }
func (r *recorder) Error(args ...any)        { r.note(fmt.Sprint(args...)) }
func (r *recorder) Errorf(format string, args ...any) {
	r.note(fmt.Sprintf(format, args...))
}

func (r *recorder) Fatal(args ...any) {
	r.note(fmt.Sprint(args...))
	runtime.Goexit()
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.note(fmt.Sprintf(format, args...))
	runtime.Goexit()
}

func (r *recorder) note(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errors = append(r.errors, text)
}
