// Command curve encrypts requests and replies with CURVE, and accepts only clients whose
// public keys the server knows.
//
//	go run ./curve
//
// Each side has a pair of keys. A client knows the server's public key, so no other
// program can pretend to be the server. The authenticator of package zap knows the clients'
// keys. zap.Certificate keeps keys in files, zap.NewDirectoryStore a directory of clients.
package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zap"
)

func main() {
	demo.Run(run)
	// Output:
	// Ada: your secret is safe with me, Ada
	// a client with an unknown key: HANDSHAKE_FAILED_AUTH, status 400
	// a client without a key: no reply
}

func run(ctx context.Context, d *demo.Demo) error {
	serverKeys, err := zmq.NewCurveKeys()
	if err != nil {
		return err
	}
	ada, err := zmq.NewCurveKeys()
	if err != nil {
		return err
	}
	// Start the authenticator before the server is bound. Bind fails without one.
	auth, err := zap.Start(d.Context, zap.Policy{
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
	server, endpoint := d.Bind(zmq.Rep, demo.AnyPort, zmq.AsCurveServer(serverKeys.Secret, zmq.Authenticated("secrets")))
	d.Go(func() error { return serve(ctx, server) })

	reply, err := ask(ctx, d.Connect(zmq.Req, endpoint, zmq.AsCurveClient(serverKeys.Public, ada)))
	if err != nil {
		return err
	}
	fmt.Println("Ada:", reply)

	unknown, err := d.Context.NewSocket(zmq.Req, zmq.AsCurveClient(serverKeys.Public)) // a new pair of keys
	if err != nil {
		return err
	}
	monitor, err := unknown.Monitor(zmq.EventHandshakeFailedAuth | zmq.EventHandshakeSucceeded)
	if err != nil {
		return err
	}
	defer monitor.Close()
	if err := unknown.Connect(endpoint); err != nil {
		return err
	}
	event, err := monitor.Next(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("a client with an unknown key: %v, status %d\n", event.Event, event.ZAPStatus)

	short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	if _, err := ask(short, d.Connect(zmq.Req, endpoint)); !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("a client without a key: %w", err)
	}
	fmt.Println("a client without a key: no reply")
	return nil
}

// serve replies until ctx is done. It knows each client by the name that the authenticator
// granted. A client cannot choose or forge the name.
func serve(ctx context.Context, server *zmq.Socket) error {
	var request zmq.Message
	defer request.Close()
	for {
		if err := server.RecvMessage(ctx, &request); err != nil {
			return err
		}
		name, err := request.Property("User-Id")
		if err != nil {
			return err
		}
		if err := server.SendString(ctx, "your secret is safe with me, "+name); err != nil {
			return err
		}
	}
}

func ask(ctx context.Context, client *zmq.Socket) (reply string, err error) {
	if err := client.SendString(ctx, "a secret"); err != nil {
		return "", err
	}
	return client.RecvString(ctx)
}
