// Package metrics serves what zbench measures while it measures: to Prometheus at
// /metrics, and the process's profiles at /debug/pprof.
package metrics

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"sync"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Sample is what there is at one moment.
type Sample struct {
	Cell, Pattern            string    // of a plan's: what it is of
	Offered                  float64   // the same: messages a second; 0: as fast as they go
	Began                    time.Time // the same: when the first message was sent; zero: with the serving
	Messages, Bytes          int64
	Lost, Doubled, Reordered int64
	Latency                  *hdr.Histogram // of nanoseconds; nil: none is measured
}

// Run is what is measured.
type Run struct {
	Labels  map[string]string // of every metric of zbench's
	Offered float64           // messages a second; 0: as fast as they go
	Sample  func() Sample     // any goroutine calls it

	// Each, in place of Sample, is for a plan: what there is of each of its cells.
	Each func() []Sample
}

// Server serves until it is closed.
type Server struct {
	listener net.Listener
	server   *http.Server
	served   chan error
}

// headerTime is how long a client may take to ask.
const headerTime = 10 * time.Second

// Serve listens at an address.
func Serve(address string, run Run) (*Server, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--metrics-addr: %w", err)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(newCollector(run), collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	s := &Server{listener, &http.Server{Handler: mux, ReadHeaderTimeout: headerTime}, make(chan error, 1)}
	go func() { s.served <- s.server.Serve(listener) }()
	return s, nil
}

// Addr returns the address, with the port that was chosen.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// answering is how long, at the end, those who ask at that moment have to be answered.
const answering = time.Second

// Close ends the serving.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), answering)
	defer cancel()
	if err := s.server.Shutdown(ctx); err != nil { // somebody takes a long profile
		_ = s.server.Close()
	}
	if err := <-s.served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// collector makes the metrics when they are asked for.
type collector struct {
	run                                          Run
	offered, achieved, latency                   *prometheus.Desc
	messages, bytes, lost, duplicated, reordered *prometheus.Desc

	mu    sync.Mutex
	start time.Time
	rates map[string]*rate // by cell
}

// rate is how fast messages came between two scrapes.
type rate struct {
	then  time.Time
	last  int64 // messages by then
	value float64
}

// ofPlan are the labels that tell the cells of a plan apart.
var ofPlan = []string{"cell", "pattern"}

func newCollector(run Run) *collector {
	var labels []string
	if run.Each != nil {
		labels = ofPlan
	}
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("zbench_"+name, help, labels, run.Labels)
	}
	return &collector{
		run:        run,
		offered:    desc("offered_rate", "Messages a second that are to be sent; 0: as fast as they go."),
		achieved:   desc("achieved_rate", "Messages a second, since the scrape before; the first: since the first message."),
		latency:    desc("latency_seconds", "Latency since the start, from when messages were due."),
		messages:   desc("messages_total", "Messages since the start."),
		bytes:      desc("bytes_total", "Bytes of their payload."),
		lost:       desc("lost_total", "Numbered messages that are missing now; what comes late is taken off."),
		duplicated: desc("doubled_total", "Numbered messages that came more than once."),
		reordered:  desc("reordered_total", "Numbered messages that came after a later one."),
		start:      time.Now(),
		rates:      map[string]*rate{},
	}
}

// Describe is prometheus.Collector's.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.offered, c.achieved, c.latency, c.messages, c.bytes, c.lost, c.duplicated, c.reordered} {
		to <- d
	}
}

var quantiles = []float64{0.5, 0.9, 0.99, 0.999, 0.9999}

// Collect is prometheus.Collector's.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	if c.run.Each == nil {
		s := c.run.Sample()
		s.Offered = c.run.Offered
		c.collect(to, &s)
		return
	}
	for _, s := range c.run.Each() {
		c.collect(to, &s, s.Cell, s.Pattern)
	}
}

func (c *collector) collect(to chan<- prometheus.Metric, s *Sample, labels ...string) {
	gauge := func(d *prometheus.Desc, v float64) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	gauge(c.offered, s.Offered)
	gauge(c.achieved, c.since(s))
	gauge(c.lost, float64(s.Lost))
	for d, n := range map[*prometheus.Desc]int64{c.messages: s.Messages, c.bytes: s.Bytes, c.duplicated: s.Doubled, c.reordered: s.Reordered} {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
	}
	if h := s.Latency; h != nil {
		values := map[float64]float64{}
		for _, q := range quantiles {
			values[q] = time.Duration(h.ValueAtPercentile(100 * q)).Seconds()
		}
		n := h.TotalCount()
		to <- prometheus.MustNewConstSummary(c.latency, uint64(n), h.Mean()*float64(n)/float64(time.Second), values, labels...)
	}
}

// apart is how long two scrapes are apart at least to make a rate of their own.
const apart = 500 * time.Millisecond

// since returns a cell's rate since the scrape before.
func (c *collector) since(s *Sample) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	r := c.rates[s.Cell]
	if r == nil {
		r = &rate{then: c.start}
		c.rates[s.Cell] = r
	}
	if s.Began.After(r.then) { // other cells were measured until then
		r.then = s.Began
	}
	if d := now.Sub(r.then); d >= apart || r.value == 0 && d > 0 {
		r.value = float64(s.Messages-r.last) / d.Seconds()
		r.then, r.last = now, s.Messages
	}
	return r.value
}
