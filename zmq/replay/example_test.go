package replay_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/replay"
)

// check keeps the example short. A program handles its errors where they happen.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// A subscriber comes late, and still gets every message.
func Example() {
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	pub, err := zctx.NewSocket(zmq.Pub)
	check(err)
	check(pub.Bind("inproc://orders"))
	router, err := zctx.NewSocket(zmq.Router)
	check(err)
	check(router.Bind("inproc://orders-replay"))
	p, err := replay.NewPublisher(pub, router, replay.PublisherConfig{Topic: "orders", KeepMessages: 3})
	check(err)
	defer p.Close()
	for _, order := range []string{"tea", "milk", "bread", "jam", "salt"} {
		_, err := p.Publish(ctx, []byte(order)) // nobody listens yet
		check(err)
	}

	sub, err := zctx.NewSocket(zmq.Sub)
	check(err)
	check(sub.Connect("inproc://orders"))
	dealer, err := zctx.NewSocket(zmq.Dealer)
	check(err)
	check(dealer.Connect("inproc://orders-replay"))
	s, err := replay.NewSubscriber(sub, dealer, replay.SubscriberConfig{Topic: "orders", From: replay.FromSeq(0)})
	check(err)
	defer s.Close()
	for m, err := range s.Messages(ctx) {
		if err != nil {
			fmt.Println(err) // a *replay.GapError
			continue
		}
		fmt.Println(m.Seq, string(m.Payload))
		if m.Seq == 4 {
			break
		}
	}

	// Output:
	// zmq: replay: messages 0 to 1 are lost: the publisher no longer has them
	// 2 bread
	// 3 jam
	// 4 salt
}
