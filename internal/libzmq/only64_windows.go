//go:build !amd64 && !arm64

package libzmq

var _ int = "go-zmq needs a 64-bit program on Windows: set GOARCH=amd64"
