package prometheus_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/go-zmq/go-zmq/examples/prometheus"
	"github.com/go-zmq/go-zmq/zmq"
)

func TestCollector(t *testing.T) {
	zctx, err := zmq.NewContext()
	check(t, err)
	defer func() { check(t, zctx.Close()) }()
	push, err := zctx.NewSocket(zmq.Push)
	check(t, err)
	pull, err := zctx.NewSocket(zmq.Pull)
	check(t, err)
	check(t, pull.Bind("inproc://jobs"))
	check(t, push.Connect("inproc://jobs"))
	check(t, push.SendMultipart(context.Background(), [][]byte{[]byte("resize"), []byte("cat.png")}))
	_, err = pull.RecvMultipart(context.Background())
	check(t, err)

	collector := prometheus.New()
	collector.Add("out", push)
	collector.Add("in", pull)
	collector.Add("gone", pull)
	collector.Remove("gone")
	registry := client.NewPedanticRegistry()
	check(t, registry.Register(collector))
	want := `
# HELP zmq_bytes_received_total Bytes of these messages.
# TYPE zmq_bytes_received_total counter
zmq_bytes_received_total{socket="in",type="PULL"} 13
zmq_bytes_received_total{socket="out",type="PUSH"} 0
# HELP zmq_messages_sent_total Messages that libzmq took.
# TYPE zmq_messages_sent_total counter
zmq_messages_sent_total{socket="in",type="PULL"} 0
zmq_messages_sent_total{socket="out",type="PUSH"} 1
# HELP zmq_waiting Goroutines that wait for the socket.
# TYPE zmq_waiting gauge
zmq_waiting{socket="in",type="PULL"} 0
zmq_waiting{socket="out",type="PUSH"} 0
`
	check(t, testutil.GatherAndCompare(registry, strings.NewReader(want),
		"zmq_bytes_received_total", "zmq_messages_sent_total", "zmq_waiting"))
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func Example() {
	sockets := prometheus.New()
	registry := client.NewRegistry()
	registry.MustRegister(sockets) // served by promhttp.HandlerFor(registry, ...)

	zctx, err := zmq.NewContext()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer zctx.Close()
	s, err := zctx.NewSocket(zmq.Push)
	if err != nil {
		fmt.Println(err)
		return
	}
	sockets.Add("jobs", s)
	shown, err := registry.Gather()
	fmt.Println(len(shown), err)
	// Output: 15 <nil>
}
