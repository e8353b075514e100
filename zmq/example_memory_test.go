package zmq_test

import (
	"context"
	"fmt"

	"github.com/go-zmq/go-zmq/zmq"
)

// A received Message is sent on without copying its content.
func ExampleSocket_SendMessage() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	connect := func(to, from zmq.SocketType, endpoint string) (*zmq.Socket, *zmq.Socket) {
		receiver, err := zctx.NewSocket(to)
		check(err)
		check(receiver.Bind(endpoint))
		sender, err := zctx.NewSocket(from)
		check(err)
		check(sender.Connect(endpoint))
		return receiver, sender
	}
	in, source := connect(zmq.Pull, zmq.Push, "inproc://in")
	sink, out := connect(zmq.Pull, zmq.Push, "inproc://out")
	check(source.SendString(ctx, "a large picture"))

	var m zmq.Message
	defer m.Close()
	check(in.RecvMessage(ctx, &m))
	fmt.Printf("%d bytes: %s\n", m.Len(), m.Bytes())
	check(out.SendMessage(ctx, &m))
	fmt.Println("left behind:", m.Len())

	picture, err := sink.RecvString(ctx)
	check(err)
	fmt.Println("arrived:", picture)
	// Output:
	// 15 bytes: a large picture
	// left behind: 0
	// arrived: a large picture
}

// A batch sends or receives all its messages in one call into C. Received messages are
// read in place, without a copy.
func ExampleBatch() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	pull, err := zctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://readings"))
	push, err := zctx.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://readings"))

	batch := zmq.NewBatch(100)
	defer batch.Close()
	for _, celsius := range []string{"21.4", "21.5", "21.7"} {
		check(batch.Append([]byte("kitchen"), []byte(celsius)))
	}
	sent, err := push.SendBatch(ctx, batch)
	check(err)
	fmt.Println("sent:", sent)

	received, err := pull.RecvBatch(ctx, batch) // waits for one message, takes all that have arrived
	check(err)
	fmt.Println("received:", received)
	for i, message := range batch.All() {
		fmt.Printf("%d: %s %s\n", i, message[0].Bytes(), message[1].Bytes())
	}
	// Output:
	// sent: 3
	// received: 3
	// 0: kitchen 21.4
	// 1: kitchen 21.5
	// 2: kitchen 21.7
}

// The picture is sent without a copy. It may be changed after release was called, here
// because the receiver has closed its message.
func ExampleNewMessageZeroCopy() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	pull, err := zctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://pictures"))
	push, err := zctx.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://pictures"))

	picture := make([]byte, 4<<20)
	released := make(chan struct{})
	m, err := zmq.NewMessageZeroCopy(picture, func() { close(released) })
	check(err)
	check(push.SendMessage(ctx, m))

	var got zmq.Message
	check(pull.RecvMessage(ctx, &got))
	fmt.Println("received:", got.Len())
	check(got.Close())
	<-released
	picture[0] = 1
	fmt.Println("released")
	// Output:
	// received: 4194304
	// released
}

// With ReadAhead the first receive takes all messages that have arrived, up to the given
// number. The following receives need no call into C.
func ExampleOption_readAhead() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	pull, err := zctx.NewSocket(zmq.Pull, zmq.ReadAhead.To(256))
	check(err)
	check(pull.Bind("inproc://events"))
	push, err := zctx.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://events"))

	for _, event := range []string{"open", "read", "close"} {
		check(push.SendString(ctx, event))
	}
	for range 3 {
		event, err := pull.RecvString(ctx)
		check(err)
		fmt.Println(event)
	}
	// Output:
	// open
	// read
	// close
}
