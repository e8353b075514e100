package zmq_test

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-zmq/go-zmq/zmq"
)

// A message of several parts goes in and comes out whole.
func ExampleSocket_SendMultipart() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	left, err := ctx.NewSocket(zmq.Pair)
	check(err)
	check(left.Bind("inproc://parts"))
	right, err := ctx.NewSocket(zmq.Pair)
	check(err)
	check(right.Connect("inproc://parts"))

	check(left.SendMultipart([][]byte{[]byte("to"), []byte("the"), []byte("point")}))
	message, err := right.RecvMultipart()
	check(err)
	fmt.Printf("%q\n", message)
	// Output: ["to" "the" "point"]
}

// Part by part: for code that is ported, and one goroutine at a time.
func ExampleSocket_RecvMore() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	left, err := ctx.NewSocket(zmq.Pair)
	check(err)
	check(left.Bind("inproc://part-by-part"))
	right, err := ctx.NewSocket(zmq.Pair)
	check(err)
	check(right.Connect("inproc://part-by-part"))

	check(left.SendString("header", zmq.SendMore))
	check(left.SendString("body"))
	for more := true; more; more = right.RecvMore() {
		part, err := right.RecvString()
		check(err)
		fmt.Println(part)
	}
	// Output:
	// header
	// body
}

// A buffer of the caller's own is used again for each part.
func ExampleSocket_Recv() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	left, err := ctx.NewSocket(zmq.Pair)
	check(err)
	check(left.Bind("inproc://buffers"))
	right, err := ctx.NewSocket(zmq.Pair)
	check(err)
	check(right.Connect("inproc://buffers"))
	check(left.SendString("short"))
	check(left.SendString("much too long"))

	buffer := make([]byte, 8)
	n, err := right.Recv(buffer)
	check(err)
	fmt.Printf("%s\n", buffer[:n])
	n, err = right.Recv(buffer)
	var truncated *zmq.TruncatedError
	if errors.As(err, &truncated) {
		fmt.Printf("%s, of %d bytes: %t\n", buffer[:n], truncated.Size, errors.Is(err, io.ErrShortBuffer))
	}
	// Output:
	// short
	// much too, of 13 bytes: true
}

// Whole messages go from one socket to another where they are: nothing is copied, and
// the Multipart is used again.
func ExampleSocket_SendMultipartMessage() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	pair := func(name string) (*zmq.Socket, *zmq.Socket) {
		left, err := ctx.NewSocket(zmq.Pair)
		check(err)
		check(left.Bind(name))
		right, err := ctx.NewSocket(zmq.Pair)
		check(err)
		check(right.Connect(name))
		return left, right
	}
	source, in := pair("inproc://relay-in")
	out, sink := pair("inproc://relay-out")
	check(source.SendMultipart([][]byte{[]byte("a"), []byte("b")}))
	check(source.SendMultipart([][]byte{[]byte("c"), []byte("d"), []byte("e")}))

	var message zmq.Multipart
	defer message.Close()
	for range 2 {
		check(in.RecvMultipartMessage(&message))
		check(out.SendMultipartMessage(message))
		parts, err := sink.RecvMultipart()
		check(err)
		fmt.Printf("%q\n", parts)
	}
	// Output:
	// ["a" "b"]
	// ["c" "d" "e"]
}

// A part says who sent it, as far as the connection tells.
func ExampleMessage_Property() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	server, err := ctx.NewSocket(zmq.Pull)
	check(err)
	check(server.Bind("tcp://127.0.0.1:*"))
	endpoint, err := server.LastEndpoint()
	check(err)
	client, err := ctx.NewSocket(zmq.Push)
	check(err)
	check(client.Connect(endpoint))
	check(client.SendString("hello"))

	var m zmq.Message
	defer m.Close()
	check(server.RecvMessage(&m))
	address, err := m.Property("Peer-Address")
	check(err)
	socketType, err := m.Property("Socket-Type")
	check(err)
	fmt.Println(address, socketType)
	// Output: 127.0.0.1 PUSH
}

// One content for several receivers: it is counted, and freed with the last.
func ExampleMessage_Clone() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	original, err := zmq.NewMessage(1 << 20) // native memory, filled where it is
	check(err)
	defer original.Close()
	copy(original.Bytes(), "a large picture")

	for _, name := range []string{"inproc://first", "inproc://second"} {
		pull, err := ctx.NewSocket(zmq.Pull)
		check(err)
		check(pull.Bind(name))
		push, err := ctx.NewSocket(zmq.Push)
		check(err)
		check(push.Connect(name))
		m, err := original.Clone()
		check(err)
		check(push.SendMessage(m))
		picture, err := pull.RecvBytes()
		check(err)
		fmt.Printf("%s... %d bytes\n", picture[:7], len(picture))
	}
	// Output:
	// a large... 1048576 bytes
	// a large... 1048576 bytes
}
