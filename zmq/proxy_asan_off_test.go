//go:build !asan

package zmq_test

import "github.com/go-zmq/go-zmq/zmq"

// inFlow are the types of sockets whose peers leave while messages of several parts flow.
var inFlow = map[string][4]zmq.SocketType{"PUSH": stream, "DEALER": equals}
