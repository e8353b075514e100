package core

import (
	"fmt"
	"runtime"
	"strings"
)

// CallerLine returns the innermost line on the stack of the calling goroutine that is
// outside packages zmq, pool and internal. Reports of misuse print it.
func CallerLine() string {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	for {
		f, more := frames.Next()
		if !ours(f.Function) || strings.HasSuffix(f.File, "_test.go") {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}

func ours(function string) bool {
	for _, name := range []string{"go-zmq/zmq.", "go-zmq/pool.", "go-zmq/internal/"} {
		if strings.Contains(function, name) {
			return true
		}
	}
	return false
}
