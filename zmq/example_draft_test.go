package zmq_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// These examples need a libzmq with its draft API and print another line without it.
// TestDraftExamples therefore runs them and compares their output.

// A SERVER receives the routing id of the sending CLIENT with each message and replies to
// that CLIENT.
func ExampleSocket_SendTo() {
	ctx := context.Background()
	if !zmq.Has("draft") {
		fmt.Println("this libzmq was built without its draft API")
		return
	}
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	server := must(zctx.NewSocket(zmq.Server))
	check(server.Bind("tcp://127.0.0.1:*"))
	endpoint := must(server.LastEndpoint())
	client := must(zctx.NewSocket(zmq.Client))
	check(client.Connect(endpoint))

	check(client.SendString(ctx, "anyone there?"))
	buf := make([]byte, 100)
	n, id, err := server.RecvFrom(ctx, buf)
	check(err)
	check(server.SendTo(ctx, id, append([]byte("you asked: "), buf[:n]...)))
	reply := must(client.RecvString(ctx))
	fmt.Println(reply) // you asked: anyone there?
}

// A RADIO sends to groups, and a DISH receives the messages of the groups that it has
// joined.
func ExampleSocket_SendGroup() {
	ctx := context.Background()
	if !zmq.Has("draft") {
		fmt.Println("this libzmq was built without its draft API")
		return
	}
	zctx := must(zmq.NewContext())
	defer zctx.Close()
	dish := must(zctx.NewSocket(zmq.Dish))
	check(dish.Bind("tcp://127.0.0.1:*"))
	endpoint := must(dish.LastEndpoint())
	check(dish.Join("weather"))
	radio := must(zctx.NewSocket(zmq.Radio))
	check(radio.Connect(endpoint))

	// A RADIO drops messages to groups without members. It repeats them until it has
	// received the DISH's Join.
	check(dish.Set(zmq.RecvTimeout.To(10 * time.Millisecond)))
	for buf := make([]byte, 100); ; {
		check(radio.SendGroup(ctx, "sports", []byte("the favourite wins")))
		check(radio.SendGroup(ctx, "weather", []byte("it rains")))
		n, group, err := dish.RecvGroup(ctx, buf)
		if errors.Is(err, zmq.ErrAgain) {
			continue
		}
		check(err)
		fmt.Printf("%s: %s\n", group, buf[:n]) // weather: it rains
		return
	}
}

// TestDraftExamples compares the output of the examples.
func TestDraftExamples(t *testing.T) {
	for _, example := range []struct {
		run  func()
		want string
	}{
		{ExampleSocket_SendTo, "you asked: anyone there?\n"},
		{ExampleSocket_SendGroup, "weather: it rains\n"},
	} {
		want := example.want
		if !hasDrafts(t, zmq.Server, zmq.Client, zmq.Radio, zmq.Dish) {
			want = "this libzmq was built without its draft API\n"
		}
		require.Equal(t, want, printed(t, example.run))
	}
}

// printed returns the text that f writes to standard output. Tests that use it must not
// run in parallel.
func printed(t *testing.T, f func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	stdout := os.Stdout
	os.Stdout = w
	defer func() { os.Stdout = stdout }()
	f()
	require.NoError(t, w.Close())
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	return string(text)
}
