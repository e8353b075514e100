// Package msgwatch finds messages that nobody closed, in tests: it counts, for each
// content that libzmq has allocated or was lent, the structures that hold it. A
// content whose last holder is dropped without being closed or sent is lost, and so is
// all that shares its memory, up to 18 KiB.
//
// It puts functions that count before six of those in libzmq's table, so that a
// program that does not use this package has nothing of it.
package msgwatch

/*
#cgo CFLAGS: -O2 -Wall
#cgo linux LDFLAGS: -lpthread
#include "watch.h"
*/
import "C"

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Begin begins to count, unless there is no libzmq. Nobody may be using libzmq yet.
func Begin() {
	if libzmq.Load() == nil {
		C.mw_begin((*C.gz_api)(libzmq.API()))
	}
}

// most is how many contents are described.
const most = 20

// shown is how many bytes of each are.
const shown = 64

// Count returns how many contents somebody holds.
func Count() int { return int(C.mw_contents(nil, 0)) }

// Held is Count, and describes some of the contents. It reads them, so that nobody may
// be about to release one.
func Held() (n int, description string) {
	var list [most]C.mw_content
	n = int(C.mw_contents(&list[0], most))
	var lines []string
	for _, c := range list[:min(n, most)] {
		bytes := unsafe.Slice((*byte)(c.data), c.size)
		lines = append(lines, fmt.Sprintf("%d bytes, held %d times: %q", c.size, c.holders, bytes[:min(len(bytes), shown)]))
	}
	return n, strings.Join(lines, "\n")
}
