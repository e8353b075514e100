// Command lazypirate is the Lazy Pirate pattern: a client that asks again when no reply
// comes, and gives up after a while.
//
//	go run ./lazypirate
//
// It is shown twice. With a REQ socket, the options ReqRelaxed and ReqCorrelate spare
// the pattern's usual way, to close the socket and to make a new one. With a
// request.Client it is two fields of a Config, any number of goroutines may ask at
// the same time, and replies cannot be mixed up: prefer that.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

const (
	attempts = 10
	patience = 300 * time.Millisecond // for each attempt
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// REQ: answer to "first"
	// REQ: answer to "second"
	// Client: answer to "third"
	// Client: answer to "fourth"
	// the server is gone: giving up
}

func run() error {
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

	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return unreliable(server) })
	g.Go(func() error {
		defer stop()
		if err := withReq(ctx, zctx, endpoint); err != nil {
			return err
		}
		if err := withClient(ctx, zctx, endpoint); err != nil {
			return err
		}
		if err := server.Close(); err != nil {
			return err
		}
		return giveUp(ctx, zctx, endpoint)
	})
	return g.Wait()
}

// unreliable is a server that loses the first message of every three. It ends when
// its socket is closed.
func unreliable(server *zmq.Socket) error {
	for n := 0; ; n++ {
		message, err := server.RecvMultipart(context.Background())
		if errors.Is(err, zmq.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		if n%3 == 0 {
			continue
		}
		last := len(message) - 1 // what is before it says where the reply goes
		message[last] = fmt.Appendf(nil, "answer to %q", message[last])
		if err := server.SendMultipart(context.Background(), message); err != nil && !errors.Is(err, zmq.ErrClosed) {
			return err
		}
	}
}

// withReq asks with a REQ socket. ReqRelaxed lets it send again though no reply came,
// and ReqCorrelate drops the reply to the first request if it comes after all.
func withReq(ctx context.Context, zctx *zmq.Context, endpoint string) error {
	client, err := zctx.NewSocket(zmq.Req, zmq.ReqRelaxed.To(true), zmq.ReqCorrelate.To(true), zmq.Linger.To(0))
	if err != nil {
		return err
	}
	defer client.Close()
	if err := client.Connect(endpoint); err != nil {
		return err
	}
	for _, question := range []string{"first", "second"} {
		answer, err := ask(ctx, client, question)
		if err != nil {
			return err
		}
		fmt.Println("REQ:", answer)
	}
	return nil
}

func ask(ctx context.Context, client *zmq.Socket, question string) (answer string, err error) {
	for range attempts {
		if err := client.SendString(ctx, question); err != nil {
			return "", err
		}
		attempt, cancel := context.WithTimeout(ctx, patience)
		answer, err = client.RecvString(attempt)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			return answer, err
		}
	}
	return "", fmt.Errorf("no answer after %d attempts: %w", attempts, err)
}

// withClient asks with a request.Client.
func withClient(ctx context.Context, zctx *zmq.Context, endpoint string) error {
	client, err := newClient(zctx, endpoint, request.Config{Attempts: attempts, Timeout: patience})
	if err != nil {
		return err
	}
	defer client.Close()
	for _, question := range []string{"third", "fourth"} {
		answer, err := client.Request(ctx, []byte(question))
		if err != nil {
			return err
		}
		fmt.Printf("Client: %s\n", answer[0])
	}
	return nil
}

// giveUp asks a server that is gone. The error also is os.ErrDeadlineExceeded.
func giveUp(ctx context.Context, zctx *zmq.Context, endpoint string) error {
	client, err := newClient(zctx, endpoint, request.Config{Attempts: 3, Timeout: 50 * time.Millisecond})
	if err != nil {
		return err
	}
	defer client.Close()
	if _, err := client.Request(ctx, []byte("fifth")); !errors.Is(err, zmq.ErrAgain) {
		return fmt.Errorf("a server that is gone: %w", err)
	}
	fmt.Println("the server is gone: giving up")
	return nil
}

func newClient(zctx *zmq.Context, endpoint string, config request.Config) (*request.Client, error) {
	dealer, err := zctx.NewSocket(zmq.Dealer, zmq.Linger.To(0))
	if err != nil {
		return nil, err
	}
	if err := dealer.Connect(endpoint); err != nil {
		return nil, err
	}
	return request.NewClient(dealer, config)
}
