package pool_test

import (
	"fmt"
	"log"

	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/zmq"
)

// check keeps the examples short. A program handles its errors where they happen.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func Example() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	pull, err := ctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://frames"))
	push, err := ctx.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://frames"))

	p := pool.New(pool.Config{})
	defer p.Close()
	var received zmq.Message
	defer received.Close()
	for i := range 1000 {
		m, err := p.Get(64 << 10)
		check(err)
		m.Bytes()[0] = byte(i)
		check(push.SendMessage(m)) // the memory comes back by itself
		p.Put(m)                   // and so does the Message

		check(pull.RecvMessage(&received))
		if received.Bytes()[0] != byte(i) {
			log.Fatal("wrong content")
		}
	}
	fmt.Println("messages:", p.Stats().Gets)
	fmt.Println("more than 99 % without an allocation:", p.Stats().HitRate() > 0.99)
	// Output:
	// messages: 1000
	// more than 99 % without an allocation: true
}

func ExamplePool_GetBytes() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	pull, err := ctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://greetings"))
	push, err := ctx.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://greetings"))

	m, err := pool.Default().GetBytes([]byte("hello"))
	check(err)
	check(push.SendMessage(m))
	pool.Default().Put(m)
	greeting, err := pull.RecvString()
	check(err)
	fmt.Println(greeting)
	// Output: hello
}

// Memory for what a program is about to send can be there before it begins.
func ExamplePool_Prewarm() {
	p := pool.New(pool.Config{MaxSize: 256 << 10, MaxIdleBytes: 16 << 20})
	defer p.Close()
	check(p.Prewarm(100_000, 20))
	s := p.Stats()
	fmt.Println(s.IdleBuffers, "buffers of", s.IdleBytes/s.IdleBuffers, "bytes")
	// Output: 20 buffers of 131072 bytes
}
