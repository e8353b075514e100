package zmq_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-zmq/go-zmq/zmq"
)

// A subscriber does not receive. With DropCounted the publisher counts the dropped
// messages, with Fail it returns an error.
func ExampleSocket_Stats_dropped() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	pub, err := zctx.NewSocket(zmq.Pub, zmq.SendHWM.To(10), zmq.WhenFull.To(zmq.DropCounted))
	check(err)
	check(pub.Bind("inproc://readings"))
	sub, err := zctx.NewSocket(zmq.Sub, zmq.RecvHWM.To(10))
	check(err)
	check(sub.Subscribe(""))
	check(sub.Connect("inproc://readings"))

	for range 100 {
		check(pub.SendString(ctx, "21 °C"))
	}
	fmt.Println("dropped:", pub.Stats().Dropped)

	check(pub.Set(zmq.WhenFull.To(zmq.Fail)))
	fmt.Println("full:", errors.Is(pub.SendString(ctx, "21 °C"), zmq.ErrAgain))
	// Output:
	// dropped: 80
	// full: true
}
