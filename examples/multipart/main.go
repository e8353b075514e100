// Command multipart shows five ways to send, receive and take apart messages of several
// parts.
//
//	go run ./multipart
//
// One call sends or receives a whole message, even if other goroutines use the same
// socket. The calls for single parts are for ported code.
package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	demo.Run(run)
	// Output:
	// slices: topic weather, content ["oslo" "17"]
	// views, sent on without a copy: weather, 3 parts
	// without waiting: no message, then one of 2 parts
	// part by part: header, more; body, more; trailer
	// envelopes: client-1 receives "a reply"
}

func run(ctx context.Context, d *demo.Demo) error {
	pull, first := d.Bind(zmq.Pull, demo.AnyPort)
	push := d.Connect(zmq.Push, first)
	for _, way := range []func(context.Context, *zmq.Socket, *zmq.Socket) error{slices, views, withoutWaiting, partByPart} {
		if err := way(ctx, push, pull); err != nil {
			return err
		}
	}
	router, second := d.Bind(zmq.Router, demo.AnyPort)
	return envelopes(ctx, d.Connect(zmq.Dealer, second, zmq.RoutingID.To([]byte("client-1"))), router)
}

// slices is the usual way: a message is a [][]byte that the receiver owns.
func slices(ctx context.Context, push, pull *zmq.Socket) error {
	if err := push.SendMultipart(ctx, [][]byte{[]byte("weather"), []byte("oslo"), []byte("17")}); err != nil {
		return err
	}
	message, err := pull.RecvMultipart(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("slices: topic %s, content %q\n", message[0], message[1:])
	return nil
}

// views reads the parts in libzmq's memory and sends them on from there. The next step of
// the loop reuses the Multipart, so the loop allocates nothing.
func views(ctx context.Context, push, pull *zmq.Socket) error {
	if err := push.SendMultipart(ctx, [][]byte{[]byte("weather"), []byte("oslo"), make([]byte, 1<<20)}); err != nil {
		return err
	}
	for message, err := range pull.Messages(ctx) {
		if err != nil {
			return err
		}
		topic, parts := string(message[0].Bytes()), len(message)
		if err := push.SendMultipartMessage(ctx, message); err != nil {
			return err
		}
		fmt.Printf("views, sent on without a copy: %s, %d parts\n", topic, parts)
		break
	}
	_, err := pull.RecvMultipart(ctx)
	return err
}

// withoutWaiting receives a message only if there is one.
func withoutWaiting(ctx context.Context, push, pull *zmq.Socket) error {
	if _, err := pull.RecvMultipart(ctx, zmq.DontWait); !errors.Is(err, zmq.ErrAgain) {
		return fmt.Errorf("unexpected message: %w", err)
	}
	if err := push.SendMultipart(ctx, demo.Message("a", "b"), zmq.DontWait); err != nil {
		return err
	}
	if err := pull.WaitReadable(ctx); err != nil {
		return err
	}
	message, err := pull.RecvMultipart(ctx, zmq.DontWait)
	fmt.Printf("without waiting: no message, then one of %d parts\n", len(message))
	return err
}

// partByPart shows libzmq's own way. The socket keeps the parts and sends them with the
// last one. Only one goroutine at a time may do this with a socket.
func partByPart(ctx context.Context, push, pull *zmq.Socket) error {
	for _, part := range []string{"header", "body"} {
		if err := push.SendString(ctx, part, zmq.SendMore); err != nil {
			return err
		}
	}
	if err := push.SendString(ctx, "trailer"); err != nil {
		return err
	}
	fmt.Print("part by part: ")
	for {
		part, err := pull.RecvString(ctx)
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

// envelopes shows the parts that a ROUTER needs for its reply: the client's id and
// everything up to the first empty part.
func envelopes(ctx context.Context, dealer, router *zmq.Socket) error {
	if err := dealer.SendMultipart(ctx, [][]byte{nil, []byte("a request")}); err != nil {
		return err
	}
	request, err := router.RecvMultipart(ctx) // id, empty part, request
	if err != nil {
		return err
	}
	envelope := request[:2]
	if err := router.SendMultipart(ctx, append(envelope, []byte("a reply"))); err != nil {
		return err
	}
	reply, err := dealer.RecvMultipart(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("envelopes: %s receives %q\n", envelope[0], reply[1])
	return nil
}
