package zmq_test

import (
	"context"
	"fmt"

	"github.com/go-zmq/go-zmq/zmq"
)

// A relay receives messages in a batch and sends them on in the same batch, without a
// copy.
func ExampleSocket_RecvBatch() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	connect := func(endpoint string) (from, to *zmq.Socket) {
		to, err := zctx.NewSocket(zmq.Pull)
		check(err)
		check(to.Bind(endpoint))
		from, err = zctx.NewSocket(zmq.Push)
		check(err)
		check(from.Connect(endpoint))
		return from, to
	}
	source, in := connect("inproc://batches-in")
	out, sink := connect("inproc://batches-out")
	for i := range 500 {
		check(source.Send(ctx, fmt.Append(nil, i)))
	}

	batch := zmq.NewBatch(100)
	defer batch.Close()
	for moved := 0; moved < 500; {
		n, err := in.RecvBatch(ctx, batch) // at least one, at most 100
		check(err)
		_, err = out.SendBatch(ctx, batch)
		check(err)
		moved += n
	}
	for i := range 500 {
		number, err := sink.RecvString(ctx)
		check(err)
		if number != fmt.Sprint(i) {
			fmt.Println("out of order:", number)
		}
	}
	fmt.Println("500 messages in order")
	// Output: 500 messages in order
}

// Skip drops a message that cannot be sent, so that it does not delay the others.
func ExampleBatch_Skip() {
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	router, err := zctx.NewSocket(zmq.Router, zmq.RouterMandatory.To(true))
	check(err)
	check(router.Bind("inproc://deliveries"))
	dealer, err := zctx.NewSocket(zmq.Dealer, zmq.RoutingID.To([]byte("ada")))
	check(err)
	check(dealer.Connect("inproc://deliveries"))

	batch := zmq.NewBatch(10)
	defer batch.Close()
	for _, to := range []string{"ada", "grace", "ada"} {
		check(batch.Append([]byte(to), []byte("a parcel")))
	}
	for batch.Len() > 0 {
		sent, err := router.SendBatch(context.Background(), batch)
		fmt.Println("sent", sent, "left", batch.Len(), "error", err != nil)
		if err != nil {
			batch.Skip(1)
		}
	}
	// Output:
	// sent 1 left 2 error true
	// sent 1 left 0 error false
}
