package zmq_test

import (
	"context"
	"fmt"

	"github.com/go-zmq/go-zmq/zmq"
)

// Subscriptions may change at any time. Each needs an Unsubscribe of its own.
func ExampleSocket_Unsubscribe() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	pub, err := ctx.NewSocket(zmq.Pub)
	check(err)
	check(pub.Bind("inproc://news"))
	sub, err := ctx.NewSocket(zmq.Sub, zmq.Subscribe.To("sports"), zmq.Subscribe.To("weather"))
	check(err)
	check(sub.Connect("inproc://news"))

	check(pub.SendString("sports: a draw"))
	heard, err := sub.RecvString()
	check(err)
	fmt.Println(heard)

	check(sub.Unsubscribe("sports"))
	check(pub.SendString("sports: another draw"))
	check(pub.SendString("weather: fair"))
	heard, err = sub.RecvString()
	check(err)
	fmt.Println(heard)
	// Output:
	// sports: a draw
	// weather: fair
}

// With Conflate only the last message is kept: for values of which the newest counts.
func ExampleOption_conflate() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	push, err := ctx.NewSocket(zmq.Push)
	check(err)
	check(push.Bind("inproc://temperature"))
	// Over inproc the side that connects decides.
	pull, err := ctx.NewSocket(zmq.Pull, zmq.Conflate.To(true))
	check(err)
	check(pull.Connect("inproc://temperature"))
	for _, celsius := range []string{"17", "18", "19"} {
		check(push.SendString(celsius))
	}
	now, err := pull.RecvString()
	check(err)
	fmt.Println(now)
	// Output: 19
}

// A publisher that greets each new subscriber.
func ExampleOption_xpubWelcomeMessage() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	xpub, err := ctx.NewSocket(zmq.XPub, zmq.XPubWelcomeMessage.To([]byte("welcome")))
	check(err)
	check(xpub.Bind("tcp://127.0.0.1:*"))
	endpoint, err := xpub.LastEndpoint()
	check(err)
	sub, err := ctx.NewSocket(zmq.Sub, zmq.Subscribe.To("welcome"))
	check(err)
	check(sub.Connect(endpoint))

	_, err = xpub.RecvString() // the subscription
	check(err)
	greeting, err := sub.RecvString()
	check(err)
	fmt.Println(greeting)
	// Output: welcome
}

// A publisher that decides itself what its subscribers get.
func ExampleOption_xpubManual() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	xpub, err := ctx.NewSocket(zmq.XPub, zmq.XPubManual.To(true))
	check(err)
	check(xpub.Bind("inproc://library"))
	sub, err := ctx.NewSocket(zmq.Sub)
	check(err)
	check(sub.Connect("inproc://library"))

	for _, wish := range []string{"secrets", "public"} {
		check(sub.Subscribe(wish))
		request, err := xpub.RecvString()
		check(err)
		topic := request[1:] // after the byte 1
		fmt.Println("asked for:", topic)
		if topic == "public" {
			check(xpub.Subscribe(topic)) // for the one who has just asked
		}
	}
	check(xpub.SendString("secrets: 1234"))
	check(xpub.SendString("public: hello"))
	heard, err := sub.RecvString()
	check(err)
	fmt.Println(heard)
	// Output:
	// asked for: secrets
	// asked for: public
	// public: hello
}

// A publisher that waits for a slow subscriber, in place of dropping messages.
func ExampleFullPolicy() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	pub, err := ctx.NewSocket(zmq.Pub, zmq.SendHWM.To(5), zmq.WhenFull.To(zmq.Block))
	check(err)
	check(pub.Bind("inproc://pages-of-a-book"))
	sub, err := ctx.NewSocket(zmq.Sub, zmq.RecvHWM.To(5), zmq.Subscribe.To(""))
	check(err)
	check(sub.Connect("inproc://pages-of-a-book"))

	go func() {
		for page := range 1000 {
			check(pub.Send(fmt.Append(nil, page)))
		}
	}()
	read := 0
	for message, err := range sub.Messages(context.Background()) {
		check(err)
		if string(message[0].Bytes()) != fmt.Sprint(read) {
			fmt.Println("a page is missing:", read)
			break
		}
		if read++; read == 1000 {
			break
		}
	}
	fmt.Println(read, "pages in order")
	// Output: 1000 pages in order
}
