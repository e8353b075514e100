package zmq

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/go-zmq/go-zmq/internal/core"
)

// DebugVariable is the environment variable that switches reports of misuse on: a
// list of words with commas between them.
//
// With "leaks", a socket, context, monitor or batch that was dropped without Close is
// reported on standard error, with the line that made it, when the garbage
// collector finds it. It is read when one of these is made. Nothing is closed by
// that: closing can wait, and a finalizer must not.
//
// With "pool", the pools of package pool report what is done to their messages and
// must not be.
const DebugVariable = "GOZMQ_DEBUG"

// debugOutput is where leaks are reported.
var debugOutput io.Writer = os.Stderr

// A leakWatch is what is left of a handle when the handle is gone.
type leakWatch struct {
	what   string
	line   string
	closed atomic.Bool
}

func debugging() bool {
	v := os.Getenv(DebugVariable)
	return v != "" && slices.Contains(strings.Split(v, ","), "leaks")
}

// watchLeak reports a handle that becomes garbage before its watch is told that
// it was closed. It returns nil unless that is switched on.
func watchLeak[T any](handle *T, what string) *leakWatch {
	if !debugging() {
		return nil
	}
	w := &leakWatch{what: what, line: core.CallerLine()}
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
