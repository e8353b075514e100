package zmq_test

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// Values are checked, and the error names the option and says what is wrong.
func ExampleSocket_Set() {
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	s, err := zctx.NewSocket(zmq.Push)
	check(err)
	check(s.Set(zmq.Linger.To(2*time.Second), zmq.HeartbeatInterval.To(time.Second)))

	err = s.Set(zmq.SendHWM.To(-1))
	fmt.Println(errors.Is(err, syscall.EINVAL))
	fmt.Println(err)
	fmt.Println(s.Set(zmq.RouterMandatory.To(true)))
	// Output:
	// true
	// zmq: set SNDHWM: -1 is out of range; the allowed range is 0 to 2147483647 messages
	// zmq: set ROUTER_MANDATORY: a PUSH socket does not have this option; only ROUTER sockets do
}

// Some options of a context must be set before its first socket is created.
func ExampleContextOption() {
	zctx, err := zmq.NewContext(zmq.IOThreads.To(2), zmq.MaxSockets.To(100))
	check(err)
	defer zctx.Close()
	threads, err := zmq.IOThreads.Get(zctx)
	check(err)
	sockets, err := zmq.MaxSockets.Get(zctx)
	check(err)
	fmt.Println(threads, sockets)
	// Output: 2 100
}

// OptionByNumber uses libzmq's number and unit of an option, here milliseconds for
// ZMQ_RCVTIMEO.
func ExampleOptionByNumber() {
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	s, err := zctx.NewSocket(zmq.Pull, zmq.OptionByNumber[int](27).To(1500))
	check(err)
	timeout, err := zmq.RecvTimeout.Get(s)
	check(err)
	fmt.Println(timeout)
	// Output: 1.5s
}

// Options returns the current values of all options by their libzmq names.
func ExampleSocket_Options() {
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	s, err := zctx.NewSocket(zmq.Sub, zmq.RecvHWM.To(10))
	check(err)
	options := s.Options()
	fmt.Println(options["RCVHWM"], options["SNDHWM"])
	// Output: 10 0
}

// Has reports the capabilities of the libzmq in use.
func ExampleHas() {
	major, minor, _ := zmq.Version()
	fmt.Println("at least 4.3:", major > 4 || major == 4 && minor >= 3)
	if zmq.Has("ipc") {
		fmt.Println("ipc:// endpoints are available")
	}
	fmt.Println("unknown capability:", zmq.Has("telepathy"))
	// Output:
	// at least 4.3: true
	// ipc:// endpoints are available
	// unknown capability: false
}
