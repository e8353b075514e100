package zmq_test

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// Values are checked, and an error says what is wrong with which option.
func ExampleSocket_Set() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	s, err := ctx.NewSocket(zmq.Push)
	check(err)
	check(s.Set(zmq.Linger.To(2*time.Second), zmq.HeartbeatInterval.To(time.Second)))

	err = s.Set(zmq.SendHWM.To(-1))
	fmt.Println(errors.Is(err, syscall.EINVAL))
	fmt.Println(err)
	fmt.Println(s.Set(zmq.RouterMandatory.To(true)))
	// Output:
	// true
	// zmq: set SNDHWM: -1 is out of range; allowed are 0 to 2147483647 messages
	// zmq: set ROUTER_MANDATORY: a PUSH socket does not have it; only ROUTER sockets do
}

// Options of a context, some of which must be set before it has its first socket.
func ExampleContextOption() {
	ctx, err := zmq.NewContext(zmq.IOThreads.To(2), zmq.MaxSockets.To(100))
	check(err)
	defer ctx.Close()
	threads, err := zmq.IOThreads.Get(ctx)
	check(err)
	sockets, err := zmq.MaxSockets.Get(ctx)
	check(err)
	fmt.Println(threads, sockets)
	// Output: 2 100
}

// An option by libzmq's number, in libzmq's own form: here ZMQ_RCVTIMEO, in
// milliseconds.
func ExampleOptionByNumber() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	s, err := ctx.NewSocket(zmq.Pull, zmq.OptionByNumber[int](27).To(1500))
	check(err)
	timeout, err := zmq.RecvTimeout.Get(s)
	check(err)
	fmt.Println(timeout)
	// Output: 1.5s
}

// All options with their present values, under libzmq's names.
func ExampleSocket_Options() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	s, err := ctx.NewSocket(zmq.Sub, zmq.RecvHWM.To(10))
	check(err)
	options := s.Options()
	fmt.Println(options["RCVHWM"], options["SNDHWM"])
	// Output: 10 1000
}

// What the libzmq in use can do.
func ExampleHas() {
	major, minor, _ := zmq.Version()
	fmt.Println("at least 4.3:", major > 4 || major == 4 && minor >= 3)
	if zmq.Has("ipc") {
		fmt.Println("ipc:// endpoints are available")
	}
	fmt.Println("a capability that there is not:", zmq.Has("telepathy"))
	// Output:
	// at least 4.3: true
	// ipc:// endpoints are available
	// a capability that there is not: false
}
