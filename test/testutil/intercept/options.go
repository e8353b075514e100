package intercept

// #include "intercept.h"
import "C"

import "github.com/go-zmq/go-zmq/internal/libzmq"

// AbortOnBadOptions makes libzmq behave like one built with ZMQ_ACT_MILITANT: the process aborts
// when libzmq refuses the value of an option. It does nothing without libzmq. Call it before the
// first use of libzmq.
func AbortOnBadOptions() {
	if libzmq.Load() == nil {
		C.gi_abort_on_bad_options((*C.gz_api)(libzmq.API()))
	}
}

// OptionCalls returns how many options libzmq was asked to set since AbortOnBadOptions.
func OptionCalls() int { return int(C.gi_option_calls()) }
