package zmq_test

import (
	"fmt"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zap"
)

func ExampleAsCurveServer() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	serverKeys, err := zmq.NewCurveKeys()
	check(err)
	clientKeys, err := zmq.NewCurveKeys()
	check(err)

	// The authenticator comes first: without it the server could not be bound.
	auth, err := zap.Start(ctx, zap.Policy{
		Curve: func(domain, publicKey string) bool { return publicKey == clientKeys.Public },
	})
	check(err)
	defer auth.Close()

	server, err := ctx.NewSocket(zmq.Rep, zmq.AsCurveServer(serverKeys.Secret, zmq.Authenticated("backend")))
	check(err)
	check(server.Bind("tcp://127.0.0.1:*"))
	endpoint, err := server.LastEndpoint()
	check(err)

	client, err := ctx.NewSocket(zmq.Req, zmq.AsCurveClient(serverKeys.Public, clientKeys))
	check(err)
	check(client.Connect(endpoint))
	check(client.SendString("encrypted"))

	var m zmq.Message
	defer m.Close()
	check(server.RecvMessage(&m))
	who, err := m.Property("User-Id")
	check(err)
	fmt.Printf("%s, from the owner of the key: %t\n", m.Bytes(), who == clientKeys.Public)
	// Output: encrypted, from the owner of the key: true
}

func ExampleAllowAnyClient() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	keys, err := zmq.NewCurveKeys()
	check(err)
	// Whoever has the public key, which may be published, can connect.
	push, err := ctx.NewSocket(zmq.Push, zmq.AsCurveServer(keys.Secret, zmq.AllowAnyClient()))
	check(err)
	check(push.Bind("tcp://127.0.0.1:*"))
	endpoint, err := push.LastEndpoint()
	check(err)

	pull, err := ctx.NewSocket(zmq.Pull, zmq.AsCurveClient(keys.Public))
	check(err)
	check(pull.Connect(endpoint))
	check(push.SendString("for everybody, but unchanged and unread on its way"))
	news, err := pull.RecvString()
	check(err)
	fmt.Println(news)
	// Output: for everybody, but unchanged and unread on its way
}

// A server that does not say who may connect is refused.
func ExampleClients() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	keys, err := zmq.NewCurveKeys()
	check(err)
	_, err = ctx.NewSocket(zmq.Rep, zmq.AsCurveServer(keys.Secret, zmq.Clients{}))
	fmt.Println(err)

	server, err := ctx.NewSocket(zmq.Rep, zmq.AsCurveServer(keys.Secret, zmq.Authenticated("backend")))
	check(err)
	fmt.Println(server.Bind("tcp://127.0.0.1:*"))
	// Output:
	// zmq: set AsCurveServer: it is not said which clients may connect; name a domain for the authenticator (Authenticated), or say AllowAnyClient
	// zmq: bind "tcp://127.0.0.1:*": the socket lets in whom an authenticator accepts, and the context has none; start one with zap.Start first
}

func ExampleAsPlainServer() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	auth, err := zap.Start(ctx, zap.Policy{
		Plain: func(domain, user, password string) bool { return user == "ada" && password == "lovelace" },
	})
	check(err)
	defer auth.Close()

	server, err := ctx.NewSocket(zmq.Rep, zmq.AsPlainServer("calculators"))
	check(err)
	check(server.Bind("ipc://*"))
	endpoint, err := server.LastEndpoint()
	check(err)
	client, err := ctx.NewSocket(zmq.Req, zmq.AsPlainClient("ada", "lovelace"))
	check(err)
	check(client.Connect(endpoint))
	check(client.SendString("6 times 7"))

	var m zmq.Message
	defer m.Close()
	check(server.RecvMessage(&m))
	user, err := m.Property("User-Id")
	check(err)
	fmt.Printf("%s asks: %s\n", user, m.Bytes())
	// Output: ada asks: 6 times 7
}

func ExampleCurvePublic() {
	keys, err := zmq.NewCurveKeys()
	check(err)
	public, err := zmq.CurvePublic(keys.Secret)
	check(err)
	fmt.Println(public == keys.Public)
	keys.Public = "the public key"
	fmt.Println(keys) // never the secret
	// Output:
	// true
	// {Public:the public key Secret:(set)}
}

func ExampleZ85Encode() {
	text, err := zmq.Z85Encode([]byte{0x86, 0x4f, 0xd2, 0x6f, 0xb5, 0x59, 0xf7, 0x5b})
	check(err)
	fmt.Println(text)
	data, err := zmq.Z85Decode(text)
	check(err)
	fmt.Printf("%x\n", data)
	_, err = zmq.Z85Decode("Hello World")
	fmt.Println(err)
	// Output:
	// HelloWorld
	// 864fd26fb559f75b
	// zmq: z85: 11 characters are no Z85, only multiples of 5; was it cut off?
}
