//go:build !cgo

package libzmq

var _ int = "go-zmq requires cgo: set CGO_ENABLED=1 and install a C compiler (gcc or clang)"
