// Command expvar publishes the statistics of sockets with package expvar, as JSON under
// /debug/vars of the program's HTTP server.
//
//	go run ./expvar
//
// The statistics are counted anyway. They are read only when the page is requested.
package main

import (
	"context"
	"encoding/json"
	"expvar"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
)

// sockets has the statistics of each socket by name.
var sockets = expvar.NewMap("sockets")

func main() {
	demo.Run(run)
	// Output:
	// orders: 3 messages sent
}

func run(ctx context.Context, d *demo.Demo) error {
	pull, endpoint := d.Bind(zmq.Pull, demo.AnyPort)
	push := d.Connect(zmq.Push, endpoint)
	sockets.Set("orders", expvar.Func(func() any { return push.Stats() }))
	for range 3 {
		if err := push.SendString(ctx, "an order"); err != nil {
			return err
		}
		if _, err := pull.RecvBytes(ctx); err != nil {
			return err
		}
	}

	server := httptest.NewServer(expvar.Handler()) // a real program: http.ListenAndServe
	defer server.Close()
	page, err := http.Get(server.URL + "/debug/vars")
	if err != nil {
		return err
	}
	defer page.Body.Close()
	var vars struct {
		Sockets map[string]zmq.Stats `json:"sockets"`
	}
	if err := json.NewDecoder(page.Body).Decode(&vars); err != nil {
		return err
	}
	fmt.Println("orders:", vars.Sockets["orders"].MessagesSent, "messages sent")
	return nil
}
