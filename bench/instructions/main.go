package main

import (
	"fmt"
	"os"
	"runtime"
)

// Callgrind counts by thread, and the test reads the profiles of the first.
func init() { runtime.LockOSThread() }

func main() {
	if err := run(mark); err != nil {
		fmt.Fprintln(os.Stderr, "instructions:", err)
		os.Exit(1)
	}
}
