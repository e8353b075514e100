package libzmq

// #include "vendored.h"
import "C"

import (
	"fmt"
	"runtime/debug"
	"strings"
)

// A vendored libzmq is compiled into the program by a package that cmd/zvendor generated.

// vendored returns the libzmq to use of those that are compiled in, or nil: that of the
// main module, or else the one whose import path sorts first.
func vendored() *C.gozmq_vendored {
	var best *C.gozmq_vendored
	var bestPackage string
	main := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		main = info.Main.Path + "/"
	}
	for v := C.gozmq_vendored_list; v != nil; v = v.next {
		name := C.GoString(v._package)
		inMain, bestInMain := strings.HasPrefix(name, main), strings.HasPrefix(bestPackage, main)
		if best == nil || inMain && !bestInMain || inMain == bestInMain && name < bestPackage {
			best, bestPackage = v, name
		}
	}
	return best
}

// take fills the function table from v and returns what Path reports.
func take(v *C.gozmq_vendored, chosen string) (name string, err error) {
	pkg := C.GoString(v._package)
	if chosen != "" {
		return "", fmt.Errorf("%s=%s: this program contains libzmq, by package %s, and loads no other; unset the variable", LibraryVariable, chosen, pkg)
	}
	if v.layout != C.GZ_VENDORED_LAYOUT {
		return "", fmt.Errorf("package %s was generated for another version of go-zmq; generate it again: zvendor --update", pkg)
	}
	fillErrnos()
	if missing := C.gz_take(v); missing != nil {
		return "", fmt.Errorf("the libzmq of package %s has no %s; generate the package again: zvendor --update", pkg, C.GoString(missing))
	}
	return pkg + ", compiled in", nil
}
