package zmq

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
)

// DebugVariable is the environment variable that switches leak reports on: with
// GOZMQ_DEBUG=leaks, a socket or context that was dropped without Close is
// reported on standard error, with the line that made it, when the garbage
// collector finds it. It is read when a context is made. Nothing is closed by
// that: closing can wait, and a finalizer must not.
const DebugVariable = "GOZMQ_DEBUG"

// debugOutput is where leaks are reported.
var debugOutput io.Writer = os.Stderr

// A leakWatch is what is left of a handle when the handle is gone.
type leakWatch struct {
	what   string
	line   string
	closed atomic.Bool
}

func debugging() bool { return os.Getenv(DebugVariable) == "leaks" }

// watchLeak reports a handle that becomes garbage before its watch is told that
// it was closed. It returns nil unless that is switched on.
func watchLeak[T any](handle *T, what string) *leakWatch {
	if !debugging() {
		return nil
	}
	w := &leakWatch{what: what, line: callerLine()}
	runtime.AddCleanup(handle, (*leakWatch).report, w)
	return w
}

func (w *leakWatch) report() {
	if !w.closed.Load() {
		fmt.Fprintf(debugOutput, "zmq: %s was dropped without Close; it was made at %s\n", w.what, w.line)
	}
}

// close ends the watch; a nil one is no watch.
func (w *leakWatch) close() {
	if w != nil {
		w.closed.Store(true)
	}
}

// callerLine returns the first line outside this package.
func callerLine() string {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	for {
		f, more := frames.Next()
		if !strings.Contains(f.Function, "go-zmq/zmq.") || strings.HasSuffix(f.File, "_test.go") {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}
