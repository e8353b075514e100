// Package zmqprom exports the counts of go-zmq's sockets to Prometheus.
//
//	metrics := zmqprom.NewCollector()
//	metrics.AddContext("orders", zctx)
//	prometheus.MustRegister(metrics)
//
// Sockets always count, and a Collector reads their counts only when Prometheus asks, so it
// costs nothing in between. Every metric has two labels: name, which is that of the context or
// socket that was added, and type, such as ROUTER. A context adds up its sockets of a type, so
// the number of time series does not grow with the number of sockets. dashboard.json is a
// dashboard for Grafana.
package zmqprom

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/go-zmq/go-zmq/contrib/internal/census"
	"github.com/go-zmq/go-zmq/zmq"
)

// Collector is a prometheus.Collector. Any number of goroutines may use it at the same time.
type Collector struct{ census census.Census }

// NewCollector returns a Collector without contexts and sockets.
func NewCollector() *Collector { return &Collector{} }

// AddContext adds a context: the metrics are the sums over its sockets of each type. The counts
// of a socket that is closed stay in the sums, so counters do not go down. What such a socket
// counted after the last collection is included if the program still refers to it, and a socket
// that lives only between two collections is not counted. The Collector does not keep sockets
// alive. A context or socket of that name that was added before is replaced.
func (c *Collector) AddContext(name string, zctx *zmq.Context) { c.census.AddContext(name, zctx) }

// AddSocket adds a single socket whose figures stand alone. If its context was added, too, its
// counts appear in both. The Collector refers to the socket until Remove. A context or socket of
// that name that was added before is replaced.
func (c *Collector) AddSocket(name string, s *zmq.Socket) { c.census.AddSocket(name, s) }

// Remove removes the context or socket of that name.
func (c *Collector) Remove(name string) { c.census.Remove(name) }

// A metric is a count with its description.
type metric struct {
	census.Count
	desc *prometheus.Desc
	kind prometheus.ValueType
}

var metrics = func() (all []metric) {
	for _, count := range census.Counts {
		name, kind := "zmq_"+strings.Join(count.Words, "_")+"_total", prometheus.CounterValue
		if count.Gauge {
			name, kind = strings.TrimSuffix(name, "_total"), prometheus.GaugeValue
		}
		labels := []string{"name", "type"}
		if count.Cause != "" {
			labels = append(labels, "cause")
		}
		all = append(all, metric{count, prometheus.NewDesc(name, count.Help, labels, nil), kind})
	}
	return all
}()

// Describe implements prometheus.Collector.
func (c *Collector) Describe(descs chan<- *prometheus.Desc) {
	for _, m := range metrics {
		descs <- m.desc
	}
}

// Collect implements prometheus.Collector.
func (c *Collector) Collect(values chan<- prometheus.Metric) {
	for _, row := range c.census.Take() {
		for _, m := range metrics {
			labels := []string{row.Name, row.Type.String()}
			if m.Cause != "" {
				labels = append(labels, m.Cause)
			}
			values <- prometheus.MustNewConstMetric(m.desc, m.kind, float64(m.Value(row.Stats)), labels...)
		}
	}
}
