// Command asyncserver shows the asynchronous server: DEALER clients that send without
// waiting for replies, and a server that sends any number of replies to each request.
//
//	go run ./asyncserver
//
// In other languages the server needs a ROUTER for the clients, a DEALER for the workers
// and a proxy between them, because each thread needs a socket of its own. Here the
// workers are goroutines that share the ROUTER: each receives a whole message, with the
// client's address in front, and replies on the same socket.
//
// For one reply to each request, use package request instead.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/zmq"
)

const (
	clients  = 3
	workers  = 4
	requests = 100 // per client
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// client 0 received 300 replies to 100 requests
	// client 1 received 300 replies to 100 requests
	// client 2 received 300 replies to 100 requests
}

func run() error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()
	server, err := zctx.NewSocket(zmq.Router)
	if err != nil {
		return err
	}
	if err := server.Bind("tcp://127.0.0.1:*"); err != nil {
		return err
	}
	endpoint, err := server.LastEndpoint()
	if err != nil {
		return err
	}

	var serving, g errgroup.Group
	for range workers {
		serving.Go(func() error { return work(ctx, server) })
	}
	replies := make([]int, clients)
	for i := range replies {
		g.Go(func() (err error) {
			replies[i], err = ask(ctx, zctx, endpoint)
			return err
		})
	}
	err = g.Wait()
	for i, n := range replies {
		fmt.Printf("client %d received %d replies to %d requests\n", i, n, requests)
	}
	// Closing the socket ends the workers.
	return errors.Join(err, server.Close(), serving.Wait())
}

// work replies to each request as often as the request says, until the socket is closed.
func work(ctx context.Context, server *zmq.Socket) error {
	for {
		request, err := server.RecvMultipart(ctx) // address, name, number of replies
		if errors.Is(err, zmq.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		if len(request) != 3 {
			continue // not from one of these clients
		}
		times, err := strconv.Atoi(string(request[2]))
		if err != nil {
			continue
		}
		for n := range times {
			reply := [][]byte{request[0], request[1], []byte(strconv.Itoa(n))}
			if err := server.SendMultipart(ctx, reply); err != nil {
				return err
			}
		}
	}
}

// ask sends all requests and returns the number of replies. One goroutine sends and
// another receives on the same socket.
func ask(ctx context.Context, zctx *zmq.Context, endpoint string) (replies int, err error) {
	s, err := zctx.NewSocket(zmq.Dealer)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	if err := s.Connect(endpoint); err != nil {
		return 0, err
	}
	times := func(request int) int { return request%5 + 1 }
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		for i := range requests {
			name, n := []byte(strconv.Itoa(i)), []byte(strconv.Itoa(times(i)))
			if err := s.SendMultipart(ctx, [][]byte{name, n}); err != nil {
				return err
			}
		}
		return nil
	})
	g.Go(func() error {
		missing := map[string]bool{}
		for i := range requests {
			for n := range times(i) {
				missing[fmt.Sprint(i, ".", n)] = true
			}
		}
		for len(missing) > 0 {
			reply, err := s.RecvMultipart(ctx) // name, number of the reply
			if err != nil {
				return err
			}
			key := string(reply[0]) + "." + string(reply[1])
			if !missing[key] {
				return fmt.Errorf("unexpected reply %q", key)
			}
			delete(missing, key)
			replies++
		}
		return nil
	})
	return replies, g.Wait()
}
