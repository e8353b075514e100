package zmq_test

import (
	"fmt"

	"github.com/go-zmq/go-zmq/zmq"
)

// A Message that was received is sent on without its content being copied.
func ExampleSocket_SendMessage() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	connect := func(to, from zmq.SocketType, endpoint string) (*zmq.Socket, *zmq.Socket) {
		receiver, err := ctx.NewSocket(to)
		check(err)
		check(receiver.Bind(endpoint))
		sender, err := ctx.NewSocket(from)
		check(err)
		check(sender.Connect(endpoint))
		return receiver, sender
	}
	in, source := connect(zmq.Pull, zmq.Push, "inproc://in")
	sink, out := connect(zmq.Pull, zmq.Push, "inproc://out")
	check(source.SendString("a large picture"))

	var m zmq.Message
	defer m.Close()
	check(in.RecvMessage(&m))
	fmt.Printf("%d bytes: %s\n", m.Len(), m.Bytes())
	check(out.SendMessage(&m))
	fmt.Println("left behind:", m.Len())

	picture, err := sink.RecvString()
	check(err)
	fmt.Println("arrived:", picture)
	// Output:
	// 15 bytes: a large picture
	// left behind: 0
	// arrived: a large picture
}

// A batch crosses into C once for all its messages. What was received is looked at
// where it is, without a copy.
func ExampleBatch() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	pull, err := ctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://readings"))
	push, err := ctx.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://readings"))

	batch := zmq.NewBatch(100)
	defer batch.Close()
	for _, celsius := range []string{"21.4", "21.5", "21.7"} {
		check(batch.Append([]byte("kitchen"), []byte(celsius)))
	}
	sent, err := push.SendBatch(batch)
	check(err)
	fmt.Println("sent:", sent)

	received, err := pull.RecvBatch(batch) // waits for one, takes all that are there
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

// The picture is sent from where it is. It may be changed again when release was
// called, here because the receiver is done with it.
func ExampleNewMessageZeroCopy() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	pull, err := ctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://pictures"))
	push, err := ctx.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://pictures"))

	picture := make([]byte, 4<<20)
	released := make(chan struct{})
	m, err := zmq.NewMessageZeroCopy(picture, func() { close(released) })
	check(err)
	check(push.SendMessage(m))

	var got zmq.Message
	check(pull.RecvMessage(&got))
	fmt.Println("received:", got.Len())
	check(got.Close())
	<-released
	picture[0] = 1
	fmt.Println("released")
	// Output:
	// received: 4194304
	// released
}

// With ReadAhead the first Recv takes all the messages that are there, up to the
// number given, and those that follow need not ask libzmq.
func ExampleOption_readAhead() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	pull, err := ctx.NewSocket(zmq.Pull, zmq.ReadAhead.To(256))
	check(err)
	check(pull.Bind("inproc://events"))
	push, err := ctx.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://events"))

	for _, event := range []string{"open", "read", "close"} {
		check(push.SendString(event))
	}
	for range 3 {
		event, err := pull.RecvString()
		check(err)
		fmt.Println(event)
	}
	// Output:
	// open
	// read
	// close
}
