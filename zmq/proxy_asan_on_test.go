//go:build asan

package zmq_test

import "github.com/go-zmq/go-zmq/zmq"

// inFlow are the types of sockets whose peers leave while messages of several parts flow.
// Not PUSH: libzmq itself loses what it had taken of a message then, see "What remains"
// in docs/safety.md, which the leak detector rightly reports.
var inFlow = map[string][4]zmq.SocketType{"DEALER": equals}
