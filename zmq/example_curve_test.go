package zmq_test

import (
	"context"
	"fmt"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zap"
)

// A CURVE server asks an authenticator which clients to accept.
func ExampleAsCurveServer() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	serverKeys := must(zmq.NewCurveKeys())
	clientKeys := must(zmq.NewCurveKeys())

	// The server needs the authenticator before it can bind.
	auth, err := zap.Start(zctx, zap.Policy{
		Curve: func(domain, publicKey string) bool { return publicKey == clientKeys.Public },
	})
	check(err)
	defer auth.Close()

	server := must(zctx.NewSocket(zmq.Rep, zmq.AsCurveServer(serverKeys.Secret, zmq.Authenticated("backend"))))
	check(server.Bind("tcp://127.0.0.1:*"))
	endpoint := must(server.LastEndpoint())

	client := must(zctx.NewSocket(zmq.Req, zmq.AsCurveClient(serverKeys.Public, clientKeys)))
	check(client.Connect(endpoint))
	check(client.SendString(ctx, "encrypted"))

	var m zmq.Message
	defer m.Close()
	check(server.RecvMessage(ctx, &m))
	who := must(m.Property("User-Id"))
	fmt.Printf("%s, from the owner of the key: %t\n", m.Bytes(), who == clientKeys.Public)
	// Output: encrypted, from the owner of the key: true
}

// A publisher of public data accepts every client. Its messages are encrypted.
func ExampleAllowAnyClient() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	keys := must(zmq.NewCurveKeys())
	// Every client with the public key, which may be published, can connect.
	push := must(zctx.NewSocket(zmq.Push, zmq.AsCurveServer(keys.Secret, zmq.AllowAnyClient())))
	check(push.Bind("tcp://127.0.0.1:*"))
	endpoint := must(push.LastEndpoint())

	pull := must(zctx.NewSocket(zmq.Pull, zmq.AsCurveClient(keys.Public)))
	check(pull.Connect(endpoint))
	check(push.SendString(ctx, "public, but encrypted on its way"))
	fmt.Println(must(pull.RecvString(ctx)))
	// Output: public, but encrypted on its way
}

// A server that does not say which clients may connect is refused.
func ExampleClients() {
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	keys := must(zmq.NewCurveKeys())
	_, err := zctx.NewSocket(zmq.Rep, zmq.AsCurveServer(keys.Secret, zmq.Clients{}))
	fmt.Println(err)

	fmt.Println(must(zctx.NewSocket(zmq.Rep, zmq.AsCurveServer(keys.Secret, zmq.Authenticated("backend")))).Bind("tcp://127.0.0.1:*"))
	// Output:
	// zmq: set AsCurveServer: it is not clear which clients may connect; pass a domain for the authenticator (Authenticated), or AllowAnyClient
	// zmq: bind "tcp://127.0.0.1:*": the socket needs an authenticator, and the context has none; start one with zap.Start first
}

// A PLAIN server asks an authenticator to check names and passwords.
func ExampleAsPlainServer() {
	ctx := context.Background()
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	auth, err := zap.Start(zctx, zap.Policy{
		Plain: func(domain, user, password string) bool { return user == "ada" && password == "lovelace" },
	})
	check(err)
	defer auth.Close()

	server := must(zctx.NewSocket(zmq.Rep, zmq.AsPlainServer("calculators")))
	check(server.Bind("ipc://*"))
	endpoint := must(server.LastEndpoint())
	client := must(zctx.NewSocket(zmq.Req, zmq.AsPlainClient("ada", "lovelace")))
	check(client.Connect(endpoint))
	check(client.SendString(ctx, "6 times 7"))

	var m zmq.Message
	defer m.Close()
	check(server.RecvMessage(ctx, &m))
	user := must(m.Property("User-Id"))
	fmt.Printf("%s asks: %s\n", user, m.Bytes())
	// Output: ada asks: 6 times 7
}

// The public key can be computed from the secret key. Printing a pair hides the secret
// key.
func ExampleCurvePublic() {
	keys := must(zmq.NewCurveKeys())
	public := must(zmq.CurvePublic(keys.Secret))
	fmt.Println(public == keys.Public)
	keys.Public = "the public key"
	fmt.Println(keys) // without the secret key
	// Output:
	// true
	// {Public:the public key Secret:(set)}
}

// Z85 represents four bytes as five printable characters.
func ExampleZ85Encode() {
	text := must(zmq.Z85Encode([]byte{0x86, 0x4f, 0xd2, 0x6f, 0xb5, 0x59, 0xf7, 0x5b}))
	fmt.Println(text)
	data := must(zmq.Z85Decode(text))
	fmt.Printf("%x\n", data)
	_, err := zmq.Z85Decode("Hello World")
	fmt.Println(err)
	// Output:
	// HelloWorld
	// 864fd26fb559f75b
	// zmq: z85: the text has 11 characters, which is not a multiple of 5; check that it is complete
}
