//go:build cgo && !zmq_link && !zmq_static

package libzmq

var linked = vendored() != nil
