// Command windows is the side of TestWindows (wine_test.go) that is built for Windows.
//
//	windows echo SECRET                                returns each message to its sender, until "end"
//	windows ask ENDPOINT SERVER-KEY PUBLIC SECRET      sends messages, and checks that they come back
package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"slices"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

const messages = 300

func main() {
	zctx, err := zmq.NewContext()
	check(err)
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	switch os.Args[1] {
	case "echo":
		echo(ctx, zctx, os.Args[2])
	case "ask":
		ask(ctx, zctx, os.Args[2], os.Args[3], zmq.CurveKeys{Public: os.Args[4], Secret: os.Args[5]})
	}
	check(zctx.Close())
	fmt.Println("done")
}

func echo(ctx context.Context, zctx *zmq.Context, secret string) {
	rep, err := zctx.NewSocket(zmq.Rep, zmq.AsCurveServer(secret, zmq.AllowAnyClient()))
	check(err)
	check(rep.Bind("tcp://127.0.0.1:*"))
	endpoint, err := rep.LastEndpoint()
	check(err)
	fmt.Println("ready", endpoint)
	for end := false; !end; {
		m, err := rep.RecvMultipart(ctx)
		check(err)
		check(rep.SendMultipart(ctx, m))
		end = len(m) == 1 && string(m[0]) == "end"
	}
}

func ask(ctx context.Context, zctx *zmq.Context, endpoint, server string, keys zmq.CurveKeys) {
	req, err := zctx.NewSocket(zmq.Req, zmq.AsCurveClient(server, keys))
	check(err)
	check(req.Connect(endpoint))
	for i := range messages + 1 {
		m := [][]byte{[]byte("end")}
		if i < messages {
			m = [][]byte{content(0, i), content(33, i), content(i*500, i)}
		}
		check(req.SendMultipart(ctx, m))
		got, err := req.RecvMultipart(ctx)
		check(err)
		if !slices.EqualFunc(m, got, bytes.Equal) {
			log.Fatalf("message %d came back changed", i)
		}
	}
}

func content(size, seed int) []byte {
	p := make([]byte, size)
	for i := range p {
		p[i] = byte((seed + i) % 251)
	}
	return p
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
