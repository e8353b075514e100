// Package metrics serves what is measured while it is: to Prometheus at /metrics, and
// profiles of the process at /debug/pprof.
package metrics

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof" // adds to http.DefaultServeMux
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
)

// Server serves until it is closed.
type Server struct {
	listener net.Listener
	server   *http.Server
	served   chan error
}

const (
	// headerTime is how long a client may take to send its request.
	headerTime = 10 * time.Second
	// answering is how long, at the end, requests under way may take.
	answering = time.Second
)

// Serve listens at an address. tallies returns what has been counted; any goroutine may
// call it.
func Serve(address, verb string, tallies func() []load.State) (*Server, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--metrics-addr: %w", err)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(newCollector(verb, tallies), collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.Handle("/debug/pprof/", http.DefaultServeMux)
	s := &Server{listener, &http.Server{Handler: mux, ReadHeaderTimeout: headerTime}, make(chan error, 1)}
	go func() { s.served <- s.server.Serve(listener) }()
	return s, nil
}

// Addr returns the address, with the port that was chosen.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Close ends the serving.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), answering)
	defer cancel()
	if err := s.server.Shutdown(ctx); err != nil { // a long profile is under way
		_ = s.server.Close()
	}
	if err := <-s.served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// collector makes the metrics when they are scraped.
type collector struct {
	tallies                                                   func() []load.State
	offered, messages, bytes, lost, duplicated, late, latency *prometheus.Desc
}

func newCollector(verb string, tallies func() []load.State) *collector {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("zbench_"+name, help, []string{"cell", "pattern"}, prometheus.Labels{"verb": verb})
	}
	return &collector{
		tallies:    tallies,
		offered:    desc("offered_messages_per_second", "Offered load; 0 at full speed."),
		messages:   desc("messages_total", "Messages received, or sent by zbench send."),
		bytes:      desc("payload_bytes_total", "Bytes of their payload."),
		lost:       desc("messages_missing", "Numbered messages that have not come; late ones are subtracted."),
		duplicated: desc("messages_duplicated_total", "Numbered messages that came more than once."),
		late:       desc("messages_reordered_total", "Numbered messages that came after a later one."),
		latency:    desc("latency_seconds", "Latency, under an offered load from the due time."),
	}
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.offered, c.messages, c.bytes, c.lost, c.duplicated, c.late, c.latency} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	for _, s := range c.tallies() {
		send := func(d *prometheus.Desc, t prometheus.ValueType, v float64) {
			to <- prometheus.MustNewConstMetric(d, t, v, s.Cell.String(), s.Cell.Pattern)
		}
		send(c.offered, prometheus.GaugeValue, s.Cell.Rate)
		send(c.messages, prometheus.CounterValue, float64(s.Messages))
		send(c.bytes, prometheus.CounterValue, float64(s.Bytes))
		send(c.lost, prometheus.GaugeValue, float64(s.Lost))
		send(c.duplicated, prometheus.CounterValue, float64(s.Duplicated))
		send(c.late, prometheus.CounterValue, float64(s.Reordered))
		if h := s.Latency; h != nil {
			n := h.TotalCount()
			sum := h.Mean() * float64(n) / float64(time.Second)
			to <- prometheus.MustNewConstHistogram(c.latency, uint64(n), sum, buckets(h), s.Cell.String(), s.Cell.Pattern)
		}
	}
}

// bounds are the same for all cells and hosts, so that histograms can be added up.
var bounds = []float64{
	1e-6, 2.5e-6, 5e-6, 1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3,
	1e-2, 2.5e-2, 5e-2, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
}

// buckets returns the cumulative counts.
func buckets(h *hdr.Histogram) map[float64]uint64 {
	counts := map[float64]uint64{}
	i, sum := 0, uint64(0)
	for _, bar := range h.Distribution() {
		for i < len(bounds) && time.Duration(bar.To).Seconds() > bounds[i] {
			counts[bounds[i]] = sum
			i++
		}
		sum += uint64(bar.Count)
	}
	for ; i < len(bounds); i++ {
		counts[bounds[i]] = sum
	}
	return counts
}
