// Command curve encrypts requests and replies, and lets in only clients whose public
// keys the server knows.
//
//	go run ./curve
//
// Each side has a pair of keys. A client knows the server's public key, so that nobody
// can pretend to be the server; the authenticator of package zap knows the clients'.
// zap.Certificate keeps keys in files, zap.NewDirectoryStore a directory of clients.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zap"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// Ada: your secret is safe with me, Ada
	// a stranger: HANDSHAKE_FAILED_AUTH, status 400
	// one without a key: no reply
}

func run() error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()
	serverKeys, err := zmq.NewCurveKeys()
	if err != nil {
		return err
	}
	ada, err := zmq.NewCurveKeys()
	if err != nil {
		return err
	}

	// The authenticator comes first: without it the server could not be bound. What it
	// grants comes with each message, as the property "User-Id".
	auth, err := zap.Start(zctx, zap.Policy{
		Authorize: func(_ context.Context, r zap.Request) (zap.Grant, error) {
			if r.PublicKey == ada.Public {
				return zap.Grant{UserID: "Ada"}, nil
			}
			return zap.Grant{}, errors.New("unknown key")
		},
	})
	if err != nil {
		return err
	}
	defer auth.Close()
	server, err := zctx.NewSocket(zmq.Rep, zmq.AsCurveServer(serverKeys.Secret, zmq.Authenticated("secrets")))
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

	serving, stop := context.WithCancel(ctx)
	defer stop()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return serve(serving, server) })
	g.Go(func() error {
		defer stop()
		answer, err := ask(ctx, zctx, endpoint, zmq.AsCurveClient(serverKeys.Public, ada))
		if err != nil {
			return err
		}
		fmt.Println("Ada:", answer)

		reason, err := refusal(ctx, zctx, endpoint, zmq.AsCurveClient(serverKeys.Public)) // a new pair
		if err != nil {
			return err
		}
		fmt.Println("a stranger:", reason)

		short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		defer cancel()
		if _, err := ask(short, zctx, endpoint); !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("one without a key: %w", err)
		}
		fmt.Println("one without a key: no reply")
		return nil
	})
	return g.Wait()
}

// serve answers until ctx ends. It knows each client by the name that the authenticator
// gave it; a client cannot choose or forge that.
func serve(ctx context.Context, server *zmq.Socket) error {
	var m zmq.Message
	defer m.Close()
	for {
		err := server.RecvMessage(ctx, &m)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		who, err := m.Property("User-Id")
		if err != nil {
			return err
		}
		if err := server.SendString(context.Background(), "your secret is safe with me, "+who); err != nil {
			return err
		}
	}
}

// ask sends a secret and returns the answer.
func ask(ctx context.Context, zctx *zmq.Context, endpoint string, security ...zmq.Setting) (string, error) {
	client, err := zctx.NewSocket(zmq.Req, append(security, zmq.Linger.To(0))...)
	if err != nil {
		return "", err
	}
	defer client.Close()
	if err := client.Connect(endpoint); err != nil {
		return "", err
	}
	if err := client.SendString(ctx, "a secret"); err != nil {
		return "", err
	}
	return client.RecvString(ctx)
}

// refusal connects and returns why the server did not let it in: a client's monitor is
// told the status.
func refusal(ctx context.Context, zctx *zmq.Context, endpoint string, security ...zmq.Setting) (string, error) {
	client, err := zctx.NewSocket(zmq.Req, append(security, zmq.Linger.To(0))...)
	if err != nil {
		return "", err
	}
	defer client.Close()
	monitor, err := client.Monitor(zmq.EventHandshakeFailedAuth | zmq.EventHandshakeSucceeded)
	if err != nil {
		return "", err
	}
	defer monitor.Close()
	if err := client.Connect(endpoint); err != nil {
		return "", err
	}
	event, err := monitor.Next(ctx)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%v, status %d", event.Event, event.ZAPStatus), nil
}
