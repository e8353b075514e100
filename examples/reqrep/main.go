// Command reqrep shows request-reply: a REQ sends a request and waits for the reply of a
// REP.
//
//	go run ./reqrep
//
// This program creates its sockets itself. The other examples leave that to package demo.
// lazypirate has a client for servers that may be down.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// Hello, Ada
	// Hello, Grace
	// Hello, Barbara
}

func run() error {
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()
	server, err := zctx.NewSocket(zmq.Rep)
	if err != nil {
		return err
	}
	if err := server.Bind("tcp://127.0.0.1:*"); err != nil { // any free port
		return err
	}
	endpoint, err := server.LastEndpoint()
	if err != nil {
		return err
	}
	client, err := zctx.NewSocket(zmq.Req)
	if err != nil {
		return err
	}
	if err := client.Connect(endpoint); err != nil {
		return err
	}

	served := make(chan error, 1)
	go func() { served <- serve(server) }()
	for _, name := range []string{"Ada", "Grace", "Barbara"} {
		greeting, err := ask(client, name)
		if err != nil {
			return err
		}
		fmt.Println(greeting)
	}
	if err := server.Close(); err != nil {
		return err
	}
	return <-served
}

// serve replies to requests until the socket is closed.
func serve(server *zmq.Socket) error {
	for {
		name, err := server.RecvString(context.Background())
		if errors.Is(err, zmq.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := server.SendString(context.Background(), "Hello, "+name); err != nil {
			return err
		}
	}
}

// ask sends a request and waits at most ten seconds for the reply.
func ask(client *zmq.Socket, name string) (greeting string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := client.SendString(ctx, name); err != nil {
		return "", err
	}
	return client.RecvString(ctx)
}
