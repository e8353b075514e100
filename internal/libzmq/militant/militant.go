// Package militant makes libzmq, in tests, what it is when it was built with
// ZMQ_ACT_MILITANT: a value that an option does not bear ends the process, instead of
// being refused.
package militant

/*
#cgo CFLAGS: -O2 -Wall
#include "militant.h"
*/
import "C"

import "github.com/go-zmq/go-zmq/internal/libzmq"

// Begin makes it so, unless there is no libzmq. Nobody may be using libzmq yet.
func Begin() {
	if libzmq.Load() == nil {
		C.militant_begin((*C.gz_api)(libzmq.API()))
	}
}

// Calls returns how many options libzmq was asked to set since.
func Calls() int { return int(C.militant_calls()) }
