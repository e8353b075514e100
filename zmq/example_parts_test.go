package zmq_test

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-zmq/go-zmq/zmq"
)

// A message of several parts is sent and received whole.
func ExampleSocket_SendMultipart() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	left, err := zctx.NewSocket(zmq.Pair)
	check(err)
	check(left.Bind("inproc://parts"))
	right, err := zctx.NewSocket(zmq.Pair)
	check(err)
	check(right.Connect("inproc://parts"))

	check(left.SendMultipart(ctx, [][]byte{[]byte("to"), []byte("the"), []byte("point")}))
	message, err := right.RecvMultipart(ctx)
	check(err)
	fmt.Printf("%q\n", message)
	// Output: ["to" "the" "point"]
}

// Ported code can send and receive part by part, in one goroutine at a time.
func ExampleSocket_RecvMore() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	left, err := zctx.NewSocket(zmq.Pair)
	check(err)
	check(left.Bind("inproc://part-by-part"))
	right, err := zctx.NewSocket(zmq.Pair)
	check(err)
	check(right.Connect("inproc://part-by-part"))

	check(left.SendString(ctx, "header", zmq.SendMore))
	check(left.SendString(ctx, "body"))
	for more := true; more; more = right.RecvMore() {
		part, err := right.RecvString(ctx)
		check(err)
		fmt.Println(part)
	}
	// Output:
	// header
	// body
}

// Recv reuses a buffer of the caller for each part.
func ExampleSocket_Recv() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	left, err := zctx.NewSocket(zmq.Pair)
	check(err)
	check(left.Bind("inproc://buffers"))
	right, err := zctx.NewSocket(zmq.Pair)
	check(err)
	check(right.Connect("inproc://buffers"))
	check(left.SendString(ctx, "short"))
	check(left.SendString(ctx, "much too long"))

	buffer := make([]byte, 8)
	n, err := right.Recv(ctx, buffer)
	check(err)
	fmt.Printf("%s\n", buffer[:n])
	n, err = right.Recv(ctx, buffer)
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
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	pair := func(name string) (*zmq.Socket, *zmq.Socket) {
		left, err := zctx.NewSocket(zmq.Pair)
		check(err)
		check(left.Bind(name))
		right, err := zctx.NewSocket(zmq.Pair)
		check(err)
		check(right.Connect(name))
		return left, right
	}
	source, in := pair("inproc://relay-in")
	out, sink := pair("inproc://relay-out")
	check(source.SendMultipart(ctx, [][]byte{[]byte("a"), []byte("b")}))
	check(source.SendMultipart(ctx, [][]byte{[]byte("c"), []byte("d"), []byte("e")}))

	var message zmq.Multipart
	defer message.Close()
	for range 2 {
		check(in.RecvMultipartMessage(ctx, &message))
		check(out.SendMultipartMessage(ctx, message))
		parts, err := sink.RecvMultipart(ctx)
		check(err)
		fmt.Printf("%q\n", parts)
	}
	// Output:
	// ["a" "b"]
	// ["c" "d" "e"]
}

// The properties of a received part describe its sender.
func ExampleMessage_Property() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	server, err := zctx.NewSocket(zmq.Pull)
	check(err)
	check(server.Bind("tcp://127.0.0.1:*"))
	endpoint, err := server.LastEndpoint()
	check(err)
	client, err := zctx.NewSocket(zmq.Push)
	check(err)
	check(client.Connect(endpoint))
	check(client.SendString(ctx, "hello"))

	var m zmq.Message
	defer m.Close()
	check(server.RecvMessage(ctx, &m))
	address, err := m.Property("Peer-Address")
	check(err)
	socketType, err := m.Property("Socket-Type")
	check(err)
	fmt.Println(address, socketType)
	// Output: 127.0.0.1 PUSH
}

// Several receivers share one content. libzmq counts the references and frees it with the
// last one.
func ExampleMessage_Clone() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	original, err := zmq.NewMessage(1 << 20) // native memory, filled in place
	check(err)
	defer original.Close()
	copy(original.Bytes(), "a large picture")

	for _, name := range []string{"inproc://first", "inproc://second"} {
		pull, err := zctx.NewSocket(zmq.Pull)
		check(err)
		check(pull.Bind(name))
		push, err := zctx.NewSocket(zmq.Push)
		check(err)
		check(push.Connect(name))
		m, err := original.Clone()
		check(err)
		check(push.SendMessage(ctx, m))
		picture, err := pull.RecvBytes(ctx)
		check(err)
		fmt.Printf("%s... %d bytes\n", picture[:7], len(picture))
	}
	// Output:
	// a large... 1048576 bytes
	// a large... 1048576 bytes
}
