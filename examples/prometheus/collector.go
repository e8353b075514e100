// Package prometheus is an example: it shows the statistics of sockets to Prometheus.
// Copy it into your program; what it counts costs the sockets nothing more than they
// count anyway, and is read only when Prometheus asks.
package prometheus

import (
	"sync"

	client "github.com/prometheus/client_golang/prometheus"

	"github.com/go-zmq/go-zmq/zmq"
)

// Collector is a Prometheus collector for sockets by name. It may be used by any
// goroutine. Make one with [New] and register it.
type Collector struct {
	mu      sync.Mutex
	sockets map[string]*zmq.Socket
}

// New makes a Collector without sockets.
func New() *Collector { return &Collector{sockets: map[string]*zmq.Socket{}} }

// Add shows a socket under a name, in place of what had the name.
func (c *Collector) Add(name string, s *zmq.Socket) {
	c.mu.Lock()
	c.sockets[name] = s
	c.mu.Unlock()
}

// Remove ends the showing of a name.
func (c *Collector) Remove(name string) {
	c.mu.Lock()
	delete(c.sockets, name)
	c.mu.Unlock()
}

type metric struct {
	desc  *client.Desc
	kind  client.ValueType
	value func(zmq.Stats) float64
}

func counter(name, help string, value func(zmq.Stats) uint64) metric {
	return metric{describe(name, help), client.CounterValue, func(s zmq.Stats) float64 { return float64(value(s)) }}
}

func gauge(name, help string, value func(zmq.Stats) int) metric {
	return metric{describe(name, help), client.GaugeValue, func(s zmq.Stats) float64 { return float64(value(s)) }}
}

func describe(name, help string) *client.Desc {
	return client.NewDesc("zmq_"+name, help, []string{"socket", "type"}, nil)
}

var metrics = []metric{
	counter("messages_sent_total", "Messages that libzmq took.", func(s zmq.Stats) uint64 { return s.MessagesSent }),
	counter("parts_sent_total", "Parts of these messages.", func(s zmq.Stats) uint64 { return s.PartsSent }),
	counter("bytes_sent_total", "Bytes of these messages.", func(s zmq.Stats) uint64 { return s.BytesSent }),
	counter("messages_received_total", "Messages that calls returned.", func(s zmq.Stats) uint64 { return s.MessagesReceived }),
	counter("parts_received_total", "Parts of these messages.", func(s zmq.Stats) uint64 { return s.PartsReceived }),
	counter("bytes_received_total", "Bytes of these messages.", func(s zmq.Stats) uint64 { return s.BytesReceived }),
	counter("send_would_block_total", "Sends that were not to wait and had no room.", func(s zmq.Stats) uint64 { return s.SendWouldBlock }),
	counter("recv_would_block_total", "Receives that were not to wait and found nothing.", func(s zmq.Stats) uint64 { return s.RecvWouldBlock }),
	counter("send_waits_total", "Sends that waited for room.", func(s zmq.Stats) uint64 { return s.SendWaits }),
	counter("recv_waits_total", "Receives that waited for a message.", func(s zmq.Stats) uint64 { return s.RecvWaits }),
	counter("dropped_total", "Messages dropped by the policy DropCounted.", func(s zmq.Stats) uint64 { return s.Dropped }),
	counter("reconnects_total", "Connections that were made again.", func(s zmq.Stats) uint64 { return s.Reconnects }),
	gauge("connections", "Peers that the socket is connected to.", func(s zmq.Stats) int { return s.Connections }),
	gauge("read_ahead", "Parts held for later receives.", func(s zmq.Stats) int { return s.ReadAhead }),
	gauge("waiting", "Goroutines that wait for the socket.", func(s zmq.Stats) int { return s.Waiting }),
}

// Describe sends the descriptions of all metrics.
func (c *Collector) Describe(descs chan<- *client.Desc) {
	for _, m := range metrics {
		descs <- m.desc
	}
}

// Collect sends all metrics of all sockets.
func (c *Collector) Collect(values chan<- client.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, s := range c.sockets {
		stats := s.Stats()
		for _, m := range metrics {
			values <- client.MustNewConstMetric(m.desc, m.kind, m.value(stats), name, s.Type().String())
		}
	}
}
