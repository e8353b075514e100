// Package intercept replaces entries of libzmq's function table in tests. It finds messages that
// were not closed, and aborts the process when libzmq refuses the value of an option.
package intercept

/*
#cgo CFLAGS: -O2 -Wall
#cgo linux LDFLAGS: -lpthread -ldl
#cgo windows LDFLAGS: -Wl,-Bstatic -lpthread -Wl,-Bdynamic
#include "intercept.h"
*/
import "C"

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/test/testutil"
)

// CheckMessages counts the messages that hold each content allocated by libzmq or lent to it, and
// makes the test run fail if one of them is neither closed nor sent. Such a content is lost, and
// so is the buffer of up to 18 KiB that it shares. CheckMessages does nothing without libzmq.
// Pass it to testutil.Main before any function that creates a message.
func CheckMessages() {
	if libzmq.Load() != nil {
		return
	}
	C.gi_count_messages((*C.gz_api)(libzmq.API()))
	testutil.Also(func() error {
		if n, held := HeldMessages(); n > 0 {
			return fmt.Errorf("messages that were neither closed nor sent, %d contents:\n%s", n, held)
		}
		return nil
	})
}

const (
	maxDescribed = 20 // contents that HeldMessages describes
	shownBytes   = 64 // of each content
)

// CountMessages returns how many contents are held.
func CountMessages() int { return int(C.gi_contents(nil, 0)) }

// HeldMessages returns how many contents are held and describes some of them. It reads their
// bytes, so no message may be closed during the call.
func HeldMessages() (n int, description string) {
	var list [maxDescribed]C.gi_content
	n = int(C.gi_contents(&list[0], maxDescribed))
	var lines []string
	for _, c := range list[:min(n, maxDescribed)] {
		bytes := unsafe.Slice((*byte)(c.data), c.size)
		lines = append(lines, fmt.Sprintf("%d bytes, held %d times: %q", c.size, c.holders, bytes[:min(len(bytes), shownBytes)]))
	}
	return n, strings.Join(lines, "\n")
}
