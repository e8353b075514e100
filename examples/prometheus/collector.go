package main

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/go-zmq/go-zmq/zmq"
)

// Collector is safe for use by any number of goroutines. It is a Prometheus collector for
// the statistics of sockets. The sockets count them anyway. Collector reads them only when
// Prometheus asks. The zero value has no sockets.
type Collector struct {
	sockets sync.Map // *zmq.Socket by name
}

// Add adds a socket under a name. It replaces an earlier socket of that name.
func (c *Collector) Add(name string, s *zmq.Socket) { c.sockets.Store(name, s) }

// Remove removes the socket with a name.
func (c *Collector) Remove(name string) { c.sockets.Delete(name) }

type metric struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(zmq.Stats) float64
}

func newMetric[N uint64 | int](kind prometheus.ValueType, name, help string, value func(zmq.Stats) N) metric {
	desc := prometheus.NewDesc("zmq_"+name, help, []string{"socket", "type"}, nil)
	return metric{desc, kind, func(s zmq.Stats) float64 { return float64(value(s)) }}
}

const counter, gauge = prometheus.CounterValue, prometheus.GaugeValue

var metrics = []metric{
	newMetric(counter, "messages_sent_total", "Messages that libzmq accepted.", func(s zmq.Stats) uint64 { return s.MessagesSent }),
	newMetric(counter, "parts_sent_total", "Parts of these messages.", func(s zmq.Stats) uint64 { return s.PartsSent }),
	newMetric(counter, "bytes_sent_total", "Bytes of these messages.", func(s zmq.Stats) uint64 { return s.BytesSent }),
	newMetric(counter, "messages_received_total", "Messages that calls returned.", func(s zmq.Stats) uint64 { return s.MessagesReceived }),
	newMetric(counter, "parts_received_total", "Parts of these messages.", func(s zmq.Stats) uint64 { return s.PartsReceived }),
	newMetric(counter, "bytes_received_total", "Bytes of these messages.", func(s zmq.Stats) uint64 { return s.BytesReceived }),
	newMetric(counter, "send_would_block_total", "Sends with DontWait for which there was no room.", func(s zmq.Stats) uint64 { return s.SendWouldBlock }),
	newMetric(counter, "recv_would_block_total", "Receives with DontWait for which there was no message.", func(s zmq.Stats) uint64 { return s.RecvWouldBlock }),
	newMetric(counter, "send_waits_total", "Sends that waited for room.", func(s zmq.Stats) uint64 { return s.SendWaits }),
	newMetric(counter, "recv_waits_total", "Receives that waited for a message.", func(s zmq.Stats) uint64 { return s.RecvWaits }),
	newMetric(counter, "dropped_total", "Messages dropped by the policy DropCounted.", func(s zmq.Stats) uint64 { return s.Dropped }),
	newMetric(counter, "reconnects_total", "Connections that were established again.", func(s zmq.Stats) uint64 { return s.Reconnects }),
	newMetric(gauge, "connections", "Peers that the socket is connected to.", func(s zmq.Stats) int { return s.Connections }),
	newMetric(gauge, "read_ahead", "Parts held for later receives.", func(s zmq.Stats) int { return s.ReadAhead }),
	newMetric(gauge, "waiting", "Goroutines that wait for the socket.", func(s zmq.Stats) int { return s.Waiting }),
}

// Describe sends the descriptions of all metrics.
func (c *Collector) Describe(descs chan<- *prometheus.Desc) {
	for _, m := range metrics {
		descs <- m.desc
	}
}

// Collect sends all metrics of all sockets.
func (c *Collector) Collect(values chan<- prometheus.Metric) {
	c.sockets.Range(func(name, socket any) bool {
		s := socket.(*zmq.Socket)
		stats := s.Stats()
		for _, m := range metrics {
			values <- prometheus.MustNewConstMetric(m.desc, m.kind, m.value(stats), name.(string), s.Type().String())
		}
		return true
	})
}
