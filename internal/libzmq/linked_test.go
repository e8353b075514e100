//go:build cgo && (zmq_link || zmq_static)

package libzmq

const linked = true
