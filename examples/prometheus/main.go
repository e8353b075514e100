// Command prometheus exports the statistics of sockets to Prometheus. Copy collector.go
// into your program.
//
//	go run ./prometheus
package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	demo.Run(run)
	// Output:
	// zmq_bytes_received_total{socket="in",type="PULL"} 13
	// zmq_bytes_sent_total{socket="out",type="PUSH"} 13
	// zmq_messages_received_total{socket="in",type="PULL"} 1
	// zmq_messages_sent_total{socket="out",type="PUSH"} 1
	// zmq_parts_received_total{socket="in",type="PULL"} 2
	// zmq_parts_sent_total{socket="out",type="PUSH"} 2
}

func run(ctx context.Context, d *demo.Demo) error {
	var sockets Collector
	registry := prometheus.NewPedanticRegistry() // checks what the collector sends
	if err := registry.Register(&sockets); err != nil {
		return err
	}
	// A real program: http.Handle("/metrics", ...).
	server := httptest.NewServer(promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	defer server.Close()

	pull, endpoint := d.Bind(zmq.Pull, demo.AnyPort)
	push := d.Connect(zmq.Push, endpoint)
	sockets.Add("in", pull)
	sockets.Add("out", push)
	if err := push.SendMultipart(ctx, demo.Message("resize", "cat.png")); err != nil {
		return err
	}
	if _, err := pull.RecvMultipart(ctx); err != nil {
		return err
	}

	page, err := http.Get(server.URL)
	if err != nil {
		return err
	}
	defer page.Body.Close()
	lines := bufio.NewScanner(page.Body)
	for lines.Scan() {
		line := lines.Text()
		traffic := strings.Contains(line, "_sent_total{") || strings.Contains(line, "_received_total{")
		if traffic && !strings.HasSuffix(line, " 0") {
			fmt.Println(line)
		}
	}
	return lines.Err()
}
