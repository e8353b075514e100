package zmq_test

import (
	"context"
	"fmt"

	"github.com/go-zmq/go-zmq/zmq"
)

// Subscriptions may change at any time. Each needs its own Unsubscribe.
func ExampleSocket_Unsubscribe() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	pub := must(zctx.NewSocket(zmq.Pub))
	check(pub.Bind("inproc://news"))
	sub := must(zctx.NewSocket(zmq.Sub, zmq.Subscribe.To("sports"), zmq.Subscribe.To("weather")))
	check(sub.Connect("inproc://news"))

	check(pub.SendString(ctx, "sports: a draw"))
	heard := must(sub.RecvString(ctx))
	fmt.Println(heard)

	check(sub.Unsubscribe("sports"))
	check(pub.SendString(ctx, "sports: another draw"))
	check(pub.SendString(ctx, "weather: fair"))
	heard = must(sub.RecvString(ctx))
	fmt.Println(heard)
	// Output:
	// sports: a draw
	// weather: fair
}

// With Conflate a socket keeps only the last message. This suits values of which only the
// newest matters.
func ExampleOption_conflate() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	push := must(zctx.NewSocket(zmq.Push))
	check(push.Bind("inproc://temperature"))
	// Over inproc the option of the socket that connects applies.
	pull := must(zctx.NewSocket(zmq.Pull, zmq.Conflate.To(true)))
	check(pull.Connect("inproc://temperature"))
	for _, celsius := range []string{"17", "18", "19"} {
		check(push.SendString(ctx, celsius))
	}
	fmt.Println(must(pull.RecvString(ctx)))
	// Output: 19
}

// A publisher greets each new subscriber.
func ExampleOption_xpubWelcomeMessage() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	xpub := must(zctx.NewSocket(zmq.XPub, zmq.XPubWelcomeMessage.To([]byte("welcome"))))
	check(xpub.Bind("tcp://127.0.0.1:*"))
	endpoint := must(xpub.LastEndpoint())
	sub := must(zctx.NewSocket(zmq.Sub, zmq.Subscribe.To("welcome")))
	check(sub.Connect(endpoint))

	_ = must(xpub.RecvString(ctx)) // the subscription
	fmt.Println(must(sub.RecvString(ctx)))
	// Output: welcome
}

// A publisher decides which subscriptions it accepts.
func ExampleOption_xpubManual() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	xpub := must(zctx.NewSocket(zmq.XPub, zmq.XPubManual.To(true)))
	check(xpub.Bind("inproc://library"))
	sub := must(zctx.NewSocket(zmq.Sub))
	check(sub.Connect("inproc://library"))

	for _, wish := range []string{"secrets", "public"} {
		check(sub.Subscribe(wish))
		request := must(xpub.RecvString(ctx))
		topic := request[1:] // without the byte 1
		fmt.Println("asked for:", topic)
		if topic == "public" {
			check(xpub.Subscribe(topic)) // for the subscriber that has just asked
		}
	}
	check(xpub.SendString(ctx, "secrets: 1234"))
	check(xpub.SendString(ctx, "public: hello"))
	fmt.Println(must(sub.RecvString(ctx)))
	// Output:
	// asked for: secrets
	// asked for: public
	// public: hello
}

// A publisher waits for a slow subscriber instead of dropping messages.
func ExampleFullPolicy() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	pub := must(zctx.NewSocket(zmq.Pub, zmq.SendHWM.To(5), zmq.WhenFull.To(zmq.Block)))
	check(pub.Bind("inproc://pages-of-a-book"))
	sub := must(zctx.NewSocket(zmq.Sub, zmq.RecvHWM.To(5), zmq.Subscribe.To("")))
	check(sub.Connect("inproc://pages-of-a-book"))

	go func() {
		for page := range 1000 {
			check(pub.Send(ctx, fmt.Append(nil, page)))
		}
	}()
	read := 0
	for message, err := range sub.Messages(ctx) {
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
