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

// DebugVariable is the environment variable that turns on reports of misuse. Its value is
// a list of words separated by commas.
//
// With "leaks", the package reports each socket, context, monitor or batch that became
// garbage without a Close. The report appears on standard error when the garbage
// collector finds the object, and names the line that created it. The variable is read
// when the object is created. The object is not closed, because closing can block and a
// finalizer must not block.
//
// With "pool", the pools of package pool report misuse of their messages.
const DebugVariable = "GOZMQ_DEBUG"

// debugOutput receives the reports of leaks.
var debugOutput io.Writer = os.Stderr

// leakWatch remembers where a handle was created. It outlives the handle.
type leakWatch struct {
	what   string
	line   string
	closed atomic.Bool
}

func debugging() bool {
	v := os.Getenv(DebugVariable)
	return v != "" && slices.Contains(strings.Split(v, ","), "leaks")
}

// watchLeak makes the garbage collector report a handle that was not closed. It returns
// nil unless "leaks" is on.
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
		fmt.Fprintf(debugOutput, "zmq: %s was dropped without Close; it was created at %s\n", w.what, w.line)
	}
}

// close ends the watch. It does nothing for a nil watch.
func (w *leakWatch) close() {
	if w != nil {
		w.closed.Store(true)
	}
}
