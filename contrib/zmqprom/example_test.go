package zmqprom_test

import (
	"context"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/go-zmq/go-zmq/contrib/zmqprom"
	"github.com/go-zmq/go-zmq/zmq"
)

// A program registers its context once, and serves promhttp.Handler() at /metrics.
func ExampleCollector() {
	zctx, err := zmq.NewContext()
	check(err)
	defer zctx.Close()
	metrics := zmqprom.NewCollector()
	metrics.AddContext("orders", zctx)
	registry := prometheus.NewRegistry() // or prometheus.DefaultRegisterer
	registry.MustRegister(metrics)

	in, err := zctx.NewSocket(zmq.Pull)
	check(err)
	check(in.Bind("inproc://orders"))
	out, err := zctx.NewSocket(zmq.Push)
	check(err)
	check(out.Connect("inproc://orders"))
	check(out.SendString(context.Background(), "an order"))
	_, err = in.RecvString(context.Background())
	check(err)

	families, err := registry.Gather()
	check(err)
	for _, f := range families {
		if f.GetName() == "zmq_received_messages_total" {
			for _, m := range f.GetMetric() {
				fmt.Println(m.GetLabel()[1].GetValue(), m.GetCounter().GetValue())
			}
		}
	}
	// Output:
	// PULL 1
	// PUSH 0
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
