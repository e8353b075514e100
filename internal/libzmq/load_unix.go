//go:build unix

package libzmq

// #include "api.h"
import "C"

import "runtime"

// open opens libzmq under the chosen name, or under the usual names, and returns the name
// under which it was found. If it was not, tried describes every attempt.
func open(chosen string) (name, tried string) {
	var path *C.char
	if chosen != "" {
		if wrong := examine(chosen); wrong != "" {
			return "", chosen + ": " + wrong
		}
		path = cText(chosen)
	}
	var where [1024]C.char
	var err [4096]C.char
	if C.gz_load(path, &where[0], C.size_t(len(where)), &err[0], C.size_t(len(err))) < 0 {
		return "", C.GoString(&err[0])
	}
	return C.GoString(&where[0]), ""
}

// fillErrnos does nothing: libzmq and Go have the same error numbers here.
func fillErrnos() {}

func installHint() string {
	if runtime.GOOS == "darwin" {
		return "install it with: brew install zeromq"
	}
	return "install it: apt-get install libzmq5 (Debian, Ubuntu), dnf install zeromq (Fedora), apk add libzmq (Alpine), brew install zeromq (macOS)"
}
