// Command multipart shows messages of several parts: six ways to send, receive and
// take them apart.
//
//	go run ./multipart
//
// A message goes in and comes out whole, in one call, also when other goroutines use
// the same socket. Part by part is there for code that is ported.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 1 slices: ["weather" "oslo" "17"]
	// 2 strings: "weather oslo 17"
	// 3 views, sent on without a copy: weather, 3 parts
	// 4 without waiting: there is none, there is one
	// 5 part by part: header, more; body, more; trailer
	// 6 envelopes: client-1 gets "A reply"
}

func run() error {
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()
	push, pull, err := connected(zctx, zmq.Push, zmq.Pull, "inproc://first")
	if err != nil {
		return err
	}
	if err := ofSlices(push, pull); err != nil {
		return err
	}
	if err := ofStrings(push, pull); err != nil {
		return err
	}
	if err := views(zctx, push, pull); err != nil {
		return err
	}
	if err := withoutWaiting(push, pull); err != nil {
		return err
	}
	if err := partByPart(push, pull); err != nil {
		return err
	}
	return envelopes(zctx)
}

// connected returns two sockets that are connected with each other.
func connected(zctx *zmq.Context, fromType, toType zmq.SocketType, endpoint string, settings ...zmq.Setting) (from, to *zmq.Socket, err error) {
	if to, err = zctx.NewSocket(toType); err != nil {
		return nil, nil, err
	}
	if err := to.Bind(endpoint); err != nil {
		return nil, nil, err
	}
	if from, err = zctx.NewSocket(fromType, settings...); err != nil {
		return nil, nil, err
	}
	return from, to, from.Connect(endpoint)
}

// ofSlices is the usual way: a message is a [][]byte, that the receiver owns.
func ofSlices(push, pull *zmq.Socket) error {
	if err := push.SendMultipart(context.Background(), [][]byte{[]byte("weather"), []byte("oslo"), []byte("17")}); err != nil {
		return err
	}
	message, err := pull.RecvMultipart(context.Background())
	if err != nil {
		return err
	}
	fmt.Printf("1 slices: %q\n", message)
	return nil
}

// ofStrings builds the parts of a message from what it has. A message of slices needs
// no type of its own: append adds a part, and message[1:] takes the first one off.
func ofStrings(push, pull *zmq.Socket) error {
	var message [][]byte
	for _, word := range []string{"weather", "oslo"} {
		message = append(message, []byte(word))
	}
	message = append(message, fmt.Append(nil, 17))
	if err := push.SendMultipart(context.Background(), message); err != nil {
		return err
	}
	received, err := pull.RecvMultipart(context.Background())
	if err != nil {
		return err
	}
	topic, rest := received[0], received[1:]
	fmt.Printf("2 strings: \"%s %s %s\"\n", topic, rest[0], rest[1])
	return nil
}

// views looks at the parts where libzmq has them, and sends them on from there. The
// Multipart is used again by the next step of the loop: nothing is allocated.
func views(zctx *zmq.Context, push, pull *zmq.Socket) error {
	onward, sink, err := connected(zctx, zmq.Push, zmq.Pull, "inproc://second")
	if err != nil {
		return err
	}
	if err := push.SendMultipart(context.Background(), [][]byte{[]byte("weather"), []byte("oslo"), make([]byte, 1<<20)}); err != nil {
		return err
	}
	for message, err := range pull.Messages(context.Background()) {
		if err != nil {
			return err
		}
		topic := string(message[0].Bytes())
		if err := onward.SendMultipartMessage(context.Background(), message); err != nil {
			return err
		}
		arrived, err := sink.RecvMultipart(context.Background())
		if err != nil {
			return err
		}
		fmt.Printf("3 views, sent on without a copy: %s, %d parts\n", topic, len(arrived))
		break
	}
	return nil
}

// withoutWaiting takes a message only if there is one.
func withoutWaiting(push, pull *zmq.Socket) error {
	_, err := pull.RecvMultipart(context.Background(), zmq.DontWait)
	if !errors.Is(err, zmq.ErrAgain) {
		return fmt.Errorf("a message came from nowhere: %w", err)
	}
	if err := push.SendMultipart(context.Background(), [][]byte{[]byte("a"), []byte("b")}); err != nil {
		return err
	}
	if _, err := pull.RecvMultipart(context.Background(), zmq.DontWait); err != nil {
		return err
	}
	fmt.Println("4 without waiting: there is none, there is one")
	return nil
}

// partByPart is libzmq's own way. The parts are kept by the socket and sent with the
// last one. One goroutine at a time does this with a socket.
func partByPart(push, pull *zmq.Socket) error {
	if err := push.SendString(context.Background(), "header", zmq.SendMore); err != nil {
		return err
	}
	if err := push.SendString(context.Background(), "body", zmq.SendMore); err != nil {
		return err
	}
	if err := push.SendString(context.Background(), "trailer"); err != nil {
		return err
	}
	fmt.Print("5 part by part: ")
	for {
		part, err := pull.RecvString(context.Background())
		if err != nil {
			return err
		}
		if !pull.RecvMore() {
			fmt.Println(part)
			return nil
		}
		fmt.Print(part, ", more; ")
	}
}

// envelopes are the parts that say where a reply goes: up to the first empty part.
func envelopes(zctx *zmq.Context) error {
	dealer, router, err := connected(zctx, zmq.Dealer, zmq.Router, "inproc://third", zmq.RoutingID.To([]byte("client-1")))
	if err != nil {
		return err
	}
	if err := dealer.SendMultipart(context.Background(), [][]byte{nil, []byte("A request")}); err != nil {
		return err
	}
	request, err := router.RecvMultipart(context.Background()) // id, empty part, request
	if err != nil {
		return err
	}
	envelope := request[:2]
	if err := router.SendMultipart(context.Background(), append(envelope, []byte("A reply"))); err != nil {
		return err
	}
	reply, err := dealer.RecvMultipart(context.Background())
	if err != nil {
		return err
	}
	fmt.Printf("6 envelopes: %s gets %q\n", envelope[0], reply[1])
	return nil
}
