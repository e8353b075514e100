package zmqotel

import (
	"context"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/go-zmq/go-zmq/contrib/internal/census"
	"github.com/go-zmq/go-zmq/zmq"
)

// Metrics exports the counts of sockets as instruments of OpenTelemetry, such as
// zmq.sent.messages and zmq.peers. They are the same as those of package zmqprom, and are read
// when the reader of the meter provider asks. Every value has the attributes zmq.name, which is
// that of the context or socket that was added, and zmq.socket.type. Any number of goroutines may
// use it at the same time.
type Metrics struct {
	census       census.Census
	registration metric.Registration
}

// NewMetrics registers the instruments with a meter provider. Close removes them.
func NewMetrics(p metric.MeterProvider) (*Metrics, error) {
	m := &Metrics{}
	meter := p.Meter(scope)
	type instrument struct {
		census.Count
		metric.Int64Observable
	}
	var all []instrument
	var observables []metric.Observable
	for _, c := range census.Counts {
		name := "zmq." + strings.Join(c.Words, ".")
		unit := "{" + strings.TrimSuffix(c.Words[len(c.Words)-1], "s") + "}"
		if unit == "{byte}" {
			unit = "By"
		}
		var o metric.Int64Observable
		var err error
		if c.Gauge {
			o, err = meter.Int64ObservableUpDownCounter(name, metric.WithDescription(c.Help), metric.WithUnit(unit))
		} else {
			o, err = meter.Int64ObservableCounter(name, metric.WithDescription(c.Help), metric.WithUnit(unit))
		}
		if err != nil {
			return nil, err
		}
		all = append(all, instrument{c, o})
		observables = append(observables, o)
	}
	var err error
	m.registration, err = meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		for _, row := range m.census.Take() {
			for _, i := range all {
				attributes := []attribute.KeyValue{attribute.String("zmq.name", row.Name), attribute.String("zmq.socket.type", row.Type.String())}
				if i.Cause != "" {
					attributes = append(attributes, attribute.String("zmq.cause", i.Cause))
				}
				o.ObserveInt64(i.Int64Observable, int64(i.Value(row.Stats)), metric.WithAttributes(attributes...))
			}
		}
		return nil
	}, observables...)
	return m, err
}

// AddContext adds a context: the values are the sums over its sockets of each type. The counts
// of a socket that is closed stay in the sums, so counters do not go down; a socket that lives
// only between two readings is not counted. A context or socket of that name that was added before
// is replaced.
func (m *Metrics) AddContext(name string, zctx *zmq.Context) { m.census.AddContext(name, zctx) }

// AddSocket adds a single socket whose figures stand alone. If its context was added, too, its
// counts appear in both. Metrics refers to the socket until Remove. A context or socket of
// that name that was added before is replaced.
func (m *Metrics) AddSocket(name string, s *zmq.Socket) { m.census.AddSocket(name, s) }

// Remove removes the context or socket of that name.
func (m *Metrics) Remove(name string) { m.census.Remove(name) }

// Close removes the instruments.
func (m *Metrics) Close() error { return m.registration.Unregister() }
