package zmq_test

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-zmq/go-zmq/zmq"
)

// A received Message is sent on without copying its content.
func ExampleSocket_SendMessage() {
	ctx := context.Background()
	in, source, endIn := connected(zmq.Pull, zmq.Push)
	defer endIn()
	sink, out, endOut := connected(zmq.Pull, zmq.Push)
	defer endOut()
	check(source.SendString(ctx, "a large picture"))

	var m zmq.Message
	defer m.Close()
	check(in.RecvMessage(ctx, &m))
	fmt.Printf("%d bytes: %s\n", m.Len(), m.Bytes())
	check(out.SendMessage(ctx, &m))
	fmt.Println("left behind:", m.Len())
	fmt.Println("arrived:", must(sink.RecvString(ctx)))
	// Output:
	// 15 bytes: a large picture
	// left behind: 0
	// arrived: a large picture
}

// A batch sends or receives all its messages in one call into C. Received messages are
// read in place, without a copy.
func ExampleBatch() {
	ctx := context.Background()
	pull, push, end := connected(zmq.Pull, zmq.Push)
	defer end()

	batch := zmq.NewBatch(100)
	defer batch.Close()
	for _, celsius := range []string{"21.4", "21.5", "21.7"} {
		check(batch.Append([]byte("kitchen"), []byte(celsius)))
	}
	sent := must(push.SendBatch(ctx, batch))
	fmt.Println("sent:", sent)

	received := must(pull.RecvBatch(ctx, batch)) // waits for one message, takes all that have arrived
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
	pull, push, end := connected(zmq.Pull, zmq.Push)
	defer end()

	picture := make([]byte, 4<<20)
	released := make(chan struct{})
	m := must(zmq.NewMessageZeroCopy(picture, func() { close(released) }))
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
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	pull := must(zctx.NewSocket(zmq.Pull, zmq.ReadAhead.To(256)))
	check(pull.Bind("inproc://events"))
	push := must(zctx.NewSocket(zmq.Push))
	check(push.Connect("inproc://events"))

	for _, event := range []string{"open", "read", "close"} {
		check(push.SendString(ctx, event))
	}
	for range 3 {
		event := must(pull.RecvString(ctx))
		fmt.Println(event)
	}
	// Output:
	// open
	// read
	// close
}

// A relay receives messages in a batch and sends them on in the same batch, without a
// copy.
func ExampleSocket_RecvBatch() {
	ctx := context.Background()
	in, source, endIn := connected(zmq.Pull, zmq.Push)
	defer endIn()
	sink, out, endOut := connected(zmq.Pull, zmq.Push)
	defer endOut()
	for i := range 500 {
		check(source.Send(ctx, fmt.Append(nil, i)))
	}

	batch := zmq.NewBatch(100)
	defer batch.Close()
	for moved := 0; moved < 500; {
		moved += must(in.RecvBatch(ctx, batch)) // at least one, at most 100
		must(out.SendBatch(ctx, batch))
	}
	for i := range 500 {
		if number := must(sink.RecvString(ctx)); number != fmt.Sprint(i) {
			fmt.Println("out of order:", number)
		}
	}
	fmt.Println("500 messages in order")
	// Output: 500 messages in order
}

// Skip drops a message that cannot be sent, so that it does not delay the others.
func ExampleBatch_Skip() {
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	router := must(zctx.NewSocket(zmq.Router, zmq.RouterMandatory.To(true)))
	check(router.Bind("inproc://deliveries"))
	dealer := must(zctx.NewSocket(zmq.Dealer, zmq.RoutingID.To([]byte("ada"))))
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

// A message of several parts is sent and received whole.
func ExampleSocket_SendMultipart() {
	ctx := context.Background()
	left, right, end := connected(zmq.Pair, zmq.Pair)
	defer end()

	check(left.SendMultipart(ctx, [][]byte{[]byte("to"), []byte("the"), []byte("point")}))
	fmt.Printf("%q\n", must(right.RecvMultipart(ctx)))
	// Output: ["to" "the" "point"]
}

// Ported code can send and receive part by part, in one goroutine at a time.
func ExampleSocket_RecvMore() {
	ctx := context.Background()
	left, right, end := connected(zmq.Pair, zmq.Pair)
	defer end()

	check(left.SendString(ctx, "header", zmq.SendMore))
	check(left.SendString(ctx, "body"))
	for more := true; more; more = right.RecvMore() {
		part := must(right.RecvString(ctx))
		fmt.Println(part)
	}
	// Output:
	// header
	// body
}

// Recv reuses a buffer of the caller for each part.
func ExampleSocket_Recv() {
	ctx := context.Background()
	left, right, end := connected(zmq.Pair, zmq.Pair)
	defer end()
	check(left.SendString(ctx, "short"))
	check(left.SendString(ctx, "much too long"))

	buffer := make([]byte, 8)
	n := must(right.Recv(ctx, buffer))
	fmt.Printf("%s\n", buffer[:n])
	n, err := right.Recv(ctx, buffer)
	var truncated *zmq.TruncatedError
	if errors.As(err, &truncated) {
		fmt.Printf("%s, of %d bytes: %t\n", buffer[:n], truncated.Size, errors.Is(err, io.ErrShortBuffer))
	}
	// Output:
	// short
	// much too, of 13 bytes: true
}

// A relay forwards whole messages without a copy and reuses one Multipart.
func ExampleSocket_SendMultipartMessage() {
	ctx := context.Background()
	source, in, endIn := connected(zmq.Pair, zmq.Pair)
	defer endIn()
	out, sink, endOut := connected(zmq.Pair, zmq.Pair)
	defer endOut()
	check(source.SendMultipart(ctx, [][]byte{[]byte("a"), []byte("b")}))
	check(source.SendMultipart(ctx, [][]byte{[]byte("c"), []byte("d"), []byte("e")}))

	var message zmq.Multipart
	defer message.Close()
	for range 2 {
		check(in.RecvMultipartMessage(ctx, &message))
		check(out.SendMultipartMessage(ctx, message))
		fmt.Printf("%q\n", must(sink.RecvMultipart(ctx)))
	}
	// Output:
	// ["a" "b"]
	// ["c" "d" "e"]
}

// The properties of a received part describe its sender.
func ExampleMessage_Property() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	server := must(zctx.NewSocket(zmq.Pull))
	check(server.Bind("tcp://127.0.0.1:*"))
	endpoint := must(server.LastEndpoint())
	client := must(zctx.NewSocket(zmq.Push))
	check(client.Connect(endpoint))
	check(client.SendString(ctx, "hello"))

	var m zmq.Message
	defer m.Close()
	check(server.RecvMessage(ctx, &m))
	fmt.Println(must(m.Property("Peer-Address")), must(m.Property("Socket-Type")))
	// Output: 127.0.0.1 PUSH
}

// Several receivers share one content. libzmq counts the references and frees it with the
// last one.
func ExampleMessage_Clone() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	original := must(zmq.NewMessage(1 << 20)) // native memory, filled in place
	defer original.Close()
	copy(original.Bytes(), "a large picture")

	for _, name := range []string{"inproc://first", "inproc://second"} {
		pull := must(zctx.NewSocket(zmq.Pull))
		check(pull.Bind(name))
		push := must(zctx.NewSocket(zmq.Push))
		check(push.Connect(name))
		m := must(original.Clone())
		check(push.SendMessage(ctx, m))
		picture := must(pull.RecvBytes(ctx))
		fmt.Printf("%s... %d bytes\n", picture[:7], len(picture))
	}
	// Output:
	// a large... 1048576 bytes
	// a large... 1048576 bytes
}
