package pool_test

import (
	"context"
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
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	pull, err := zctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://frames"))
	push, err := zctx.NewSocket(zmq.Push)
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
		check(push.SendMessage(ctx, m)) // libzmq returns the memory to the pool
		p.Put(m)                        // Put returns the Message

		check(pull.RecvMessage(ctx, &received))
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
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	pull, err := zctx.NewSocket(zmq.Pull)
	check(err)
	check(pull.Bind("inproc://greetings"))
	push, err := zctx.NewSocket(zmq.Push)
	check(err)
	check(push.Connect("inproc://greetings"))

	m, err := pool.Default().GetBytes([]byte("hello"))
	check(err)
	check(push.SendMessage(ctx, m))
	pool.Default().Put(m)
	greeting, err := pull.RecvString(ctx)
	check(err)
	fmt.Println(greeting)
	// Output: hello
}

// A program can allocate the memory for its messages before it sends them.
func ExamplePool_Prewarm() {
	p := pool.New(pool.Config{MaxSize: 256 << 10, MaxIdleBytes: 16 << 20})
	defer p.Close()
	check(p.Prewarm(100_000, 20))
	s := p.Stats()
	fmt.Println(s.IdleBuffers, "buffers of", s.IdleBytes/s.IdleBuffers, "bytes")
	// Output: 20 buffers of 131072 bytes
}
