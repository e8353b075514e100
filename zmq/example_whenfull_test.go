package zmq_test

import (
	"errors"
	"fmt"

	"github.com/go-zmq/go-zmq/zmq"
)

// A publisher whose subscriber takes nothing: with DropCounted the sends go on, and
// what was dropped is counted; with Fail they say so.
func ExampleSocket_Dropped() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	pub, err := ctx.NewSocket(zmq.Pub, zmq.SendHWM.To(10), zmq.WhenFull.To(zmq.DropCounted))
	check(err)
	check(pub.Bind("inproc://readings"))
	sub, err := ctx.NewSocket(zmq.Sub, zmq.RecvHWM.To(10))
	check(err)
	check(sub.Subscribe(""))
	check(sub.Connect("inproc://readings"))

	for range 100 {
		check(pub.SendString("21 °C"))
	}
	fmt.Println("dropped:", pub.Dropped())

	check(pub.Set(zmq.WhenFull.To(zmq.Fail)))
	fmt.Println("full:", errors.Is(pub.SendString("21 °C"), zmq.ErrAgain))
	// Output:
	// dropped: 80
	// full: true
}
