package zap_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/netip"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zap"
)

// check keeps the examples short. A program handles its errors where they happen.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// Only addresses of this machine may connect, and each decision is logged.
func ExampleStart() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	decisions := make(chan zap.Decision, 10)
	auth, err := zap.Start(zctx, zap.Policy{
		Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
		Log:   func(d zap.Decision) { decisions <- d },
	})
	check(err)
	defer auth.Close()

	server, err := zctx.NewSocket(zmq.Pull, zmq.AsNullServer("local"))
	check(err)
	check(server.Bind("tcp://127.0.0.1:*"))
	endpoint, err := server.LastEndpoint()
	check(err)
	client, err := zctx.NewSocket(zmq.Push)
	check(err)
	check(client.Connect(endpoint))
	check(client.SendString(ctx, "hello"))
	fmt.Println(<-decisions)

	// From now on every client is refused. The existing connection stays.
	check(auth.SetPolicy(zap.Policy{
		Deny: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")},
		Log:  func(d zap.Decision) { decisions <- d },
	}))
	late, err := zctx.NewSocket(zmq.Push, zmq.Linger.To(0))
	check(err)
	check(late.Connect(endpoint))
	fmt.Println(<-decisions)
	greeting, err := server.RecvString(ctx)
	check(err)
	fmt.Println(greeting)
	// Output:
	// 200 OK: NULL client at "127.0.0.1", domain "local"
	// 400 the address is in Deny: NULL client at "127.0.0.1", domain "local"
	// hello
}

// The server accepts the clients whose certificates are in a directory. Each message
// carries the name of its sender.
func ExampleNewDirectoryStore() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "clients")
	check(err)
	defer os.RemoveAll(dir)
	ada, err := zap.NewCertificate()
	check(err)
	ada.Metadata["name"] = "Ada"
	check(ada.Save(filepath.Join(dir, "ada.cert")))

	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	store, err := zap.NewDirectoryStore(dir, 5*time.Second)
	check(err)
	auth, err := zap.Start(zctx, zap.Policy{
		Curve: store.Allowed,
		Authorize: func(_ context.Context, r zap.Request) (zap.Grant, error) {
			c, _ := store.Certificate(r.PublicKey)
			return zap.Grant{UserID: c.Metadata["name"]}, nil
		},
	})
	check(err)
	defer auth.Close()

	keys, err := zap.NewCertificate()
	check(err)
	server, err := zctx.NewSocket(zmq.Pull, zmq.AsCurveServer(keys.Secret, zmq.Authenticated("backend")))
	check(err)
	check(server.Bind("tcp://127.0.0.1:*"))
	endpoint, err := server.LastEndpoint()
	check(err)
	client, err := zctx.NewSocket(zmq.Push, zmq.AsCurveClient(keys.Public, ada.Keys()))
	check(err)
	check(client.Connect(endpoint))
	check(client.SendString(ctx, "hello"))

	var m zmq.Message
	defer m.Close()
	check(server.RecvMessage(ctx, &m))
	name, err := m.Property("User-Id")
	check(err)
	fmt.Printf("%s says %s\n", name, m.Bytes())
	// Output: Ada says hello
}

// A client is cut off as soon as its address is denied.
func ExampleAuthenticator_Recheck() {
	ctx := context.Background()
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	auth, err := zap.Start(zctx, zap.Policy{})
	check(err)
	defer auth.Close()
	server, err := zctx.NewSocket(zmq.Pull, zmq.AsNullServer("backend"))
	check(err)
	check(server.Bind("tcp://127.0.0.1:*"))
	monitor, err := server.Monitor(zmq.EventPeerJoined | zmq.EventPeerLeft)
	check(err)
	defer monitor.Close()
	endpoint, err := server.LastEndpoint()
	check(err)
	client, err := zctx.NewSocket(zmq.Push)
	check(err)
	check(client.Connect(endpoint))
	_, err = monitor.Next(ctx) // it has joined
	check(err)

	check(auth.SetPolicy(zap.Policy{Deny: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}))
	check(auth.Recheck(ctx))
	event, err := monitor.Next(ctx)
	check(err)
	fmt.Println(event.Event, errors.Is(event.Err, syscall.EACCES))
	// Output: PEER_LEFT true
}

func ExampleCertificate() {
	dir, err := os.MkdirTemp("", "certificates")
	check(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "server.cert")

	c, err := zap.NewCertificate()
	check(err)
	c.Metadata["name"] = "backend"
	check(c.Save(path)) // and server.cert_secret, for this user only

	mine, err := zap.LoadCertificate(path)
	check(err)
	theirs, err := zap.LoadPublicCertificate(path)
	check(err)
	fmt.Println(mine.Secret == c.Secret, theirs.Secret == "", theirs.Public == c.Public, theirs.Metadata)
	// Output: true true true map[name:backend]
}
