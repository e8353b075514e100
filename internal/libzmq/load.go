package libzmq

/*
#cgo CFLAGS: -O2 -Wall
#cgo linux,!zmq_link,!zmq_static LDFLAGS: -ldl
#cgo linux LDFLAGS: -lpthread
#cgo windows LDFLAGS: -lws2_32
#cgo zmq_link,!zmq_static pkg-config: libzmq
#cgo zmq_static pkg-config: --static libzmq
#cgo zmq_static CFLAGS: -DGZ_STATIC
#cgo zmq_static LDFLAGS: -static -lstdc++
#include "api.h"

static void gz_version(int *v) { gz.version(&v[0], &v[1], &v[2]); }
static int gz_has(const char *name) { return gz.has(name); }
static const char *gz_strerror(int err) { return gz.strerror(err); }
*/
import "C"

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// LibraryVariable is the environment variable that names another libzmq to load.
const LibraryVariable = "GOZMQ_LIBRARY"

// GuardVariable is the environment variable that disables the guard if it is "off".
const GuardVariable = "GOZMQ_GUARD"

// These constants are the oldest version of libzmq that go-zmq works with.
const floorMajor, floorMinor, floorPatch = 4, 3, 0

var (
	loading sync.Mutex
	loaded  atomic.Bool
	where   string
	version [3]int
	guarded bool // libzmq's imports are redirected, see guard_linux.c
)

// Load loads libzmq once. Later calls cost one atomic load. Load fails if libzmq is not
// found or is older than 4.3.0, and can be called again after a failure.
func Load() error {
	if loaded.Load() {
		return nil
	}
	loading.Lock()
	defer loading.Unlock()
	if loaded.Load() {
		return nil
	}

	privileged := C.gz_privileged() != 0
	chosen := os.Getenv(LibraryVariable)
	if privileged {
		chosen = ""
	}
	name, err := find(chosen)
	if err != nil {
		return err
	}
	var v [3]C.int
	C.gz_version(&v[0])
	version = [3]int{int(v[0]), int(v[1]), int(v[2])}
	where = name
	if olderThan(version, floorMajor, floorMinor, floorPatch) {
		return fmt.Errorf("libzmq %d.%d.%d (%s) is too old: go-zmq needs %d.%d.%d or newer; %s",
			version[0], version[1], version[2], where, floorMajor, floorMinor, floorPatch, installHint())
	}
	if os.Getenv(GuardVariable) != "off" || privileged {
		guarded = C.gz_guard() == 1
	}
	loaded.Store(true)
	return nil
}

// find fills the function table: from a libzmq that is compiled in, or from one that it
// opens. It returns the library's name.
func find(chosen string) (name string, err error) {
	if v := vendored(); v != nil {
		return take(v, chosen)
	}
	name, tried := open(chosen)
	if tried != "" {
		return "", notFound(chosen != "", tried)
	}
	return name, nil
}

func notFound(chosen bool, tried string) error {
	if chosen {
		return fmt.Errorf("libzmq named by %s cannot be loaded (%s); correct or unset the variable", LibraryVariable, tried)
	}
	return fmt.Errorf("libzmq not found (tried %s); %s, or set %s to the path of a libzmq", tried, installHint(), LibraryVariable)
}

func olderThan(v [3]int, than ...int) bool { return slices.Compare(v[:], than) < 0 }

// OlderThan reports whether the loaded libzmq is older than a version, or cannot be loaded.
func OlderThan(major, minor, patch int) bool {
	return Load() != nil || olderThan(version, major, minor, patch)
}

// Version returns the version of the loaded libzmq, or zeros if libzmq cannot be loaded.
func Version() (major, minor, patch int) {
	if Load() != nil {
		return 0, 0, 0
	}
	return version[0], version[1], version[2]
}

// Path returns the name under which libzmq was opened, or says that it is a part of this
// program. It returns "" if libzmq cannot be loaded.
func Path() string {
	if Load() != nil {
		return ""
	}
	return where
}

// Has reports whether the loaded libzmq was built with a capability. The capability
// "guard" is go-zmq's own: it reports whether libzmq's imports are redirected.
//
// Implements: zmq_has
func Has(capability string) bool {
	if Load() != nil {
		return false
	}
	if capability == "guard" {
		return guarded
	}
	return C.gz_has(cText(capability)) == 1
}

// ErrnoText returns libzmq's description of an error number. It returns "" for the
// system's error numbers, which Go describes, because strerror is not safe for concurrent
// use.
//
// Implements: zmq_strerror
func ErrnoText(errno int) string {
	if Load() != nil || errno < hausnumero || errno > EMTHREAD {
		return ""
	}
	return C.GoString(C.gz_strerror(C.int(errno)))
}

// API returns the address of the function table, for C code elsewhere in the module that
// measures libzmq itself. It is valid after Load.
func API() unsafe.Pointer { return unsafe.Pointer(&C.gz) }
