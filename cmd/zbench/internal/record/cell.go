package record

import (
	"fmt"
	"strconv"
	"strings"
)

// The verbs: what is measured.
const (
	Thr = "thr" // messages as fast as they go, one way
	Lat = "lat" // round trips: one after the other, or at Rate
)

// Cell names what is measured. Cells are equal when the same is measured, and
// comparable with ==. A zero field does not apply, or is the default.
type Cell struct {
	Verb      string `json:"verb"`                // Thr or Lat
	Pattern   string `json:"pattern"`             // "pushpull"
	Transport string `json:"transport"`           // libzmq's name: "tcp"
	Size      int    `json:"size"`                // of a message's payload, in bytes
	Mode      string `json:"mode,omitempty"`      // how the receiver receives; package workload has the names
	Strategy  string `json:"strategy,omitempty"`  // where messages lie, in place of a mode
	Impl      string `json:"impl"`                // "go", or "c": the same loop in C
	Engine    string `json:"engine,omitempty"`    // which libzmq, when several are measured
	Senders   int    `json:"senders,omitempty"`   // 0: one
	Receivers int    `json:"receivers,omitempty"` // 0: one
	Window    int    `json:"window,omitempty"`    // round trips under way at once; 0: one
	Procs     int    `json:"procs,omitempty"`     // processes; 0: one
	Hosts     int    `json:"hosts,omitempty"`     // agents that take part; 0: the machine that measures
	Security  string `json:"security,omitempty"`  // "curve"

	// Rate is the offered load, in messages a second; 0: as fast as it goes.
	Rate     float64 `json:"rate,omitempty"`
	Arrivals string  `json:"arrivals,omitempty"` // with a Rate: "uniform", "poisson"

	// Options are what else differs from libzmq's defaults, in the order of their
	// names: "hwm=10,io-threads=2".
	Options string `json:"options,omitempty"`
}

// Open reports whether the cell is an open loop: messages are due at times that do
// not depend on the replies.
func (c Cell) Open() bool { return c.Rate > 0 }

// Name returns the name under which go test -bench and benchstat know the cell. A
// cell that is a benchmark of the module's root too has that benchmark's name. The
// implementation comes last, and no part ends in a hyphen and digits, which
// benchstat would take for a number of processors.
func (c Cell) Name() string {
	var b strings.Builder
	part := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "/%s=%s", key, strings.NewReplacer("/", "_", " ", "_", "-", "_").Replace(value))
		}
	}
	number := func(key string, n int) {
		if n > 1 {
			part(key, strconv.Itoa(n))
		}
	}
	b.WriteString(c.benchmark())
	part("pattern", c.Pattern)
	part("transport", c.Transport)
	part("size", strconv.Itoa(c.Size))
	number("senders", c.Senders)
	if c.Verb == Thr && c.Pattern == "pubsub" {
		part("receivers", strconv.Itoa(max(c.Receivers, 1)))
	} else {
		number("receivers", c.Receivers)
	}
	closed := c.Verb == Lat && !c.Open()
	if closed && c.Pattern == "dealerrouter" {
		part("window", strconv.Itoa(max(c.Window, 1)))
	} else {
		number("window", c.Window)
	}
	part("strategy", c.Strategy)
	part("mode", c.Mode)
	if closed {
		part("mode", "blocking") // as the benchmarks say of it
	}
	number("procs", c.Procs)
	number("hosts", c.Hosts)
	if c.Open() {
		part("rate", strconv.FormatFloat(c.Rate, 'f', -1, 64))
		if c.Arrivals != "uniform" {
			part("arrivals", c.Arrivals)
		}
	}
	part("options", c.Options)
	if c.Security == "curve" {
		part("curve", "on")
	}
	part("engine", c.Engine)
	part("impl", c.Impl)
	return b.String()
}

// benchmark returns the name of the benchmark of the module's root that measures
// the same, or one that it does not have.
func (c Cell) benchmark() string {
	switch {
	case c.Verb != Thr && c.Verb != Lat: // a role: one end, whatever the other is
		return "Role/verb=" + c.Verb
	case c.Verb == Thr && c.Strategy != "":
		return "Strategy"
	case c.Verb == Thr && c.Security == "curve":
		return "Curve"
	case c.Verb == Thr && c.Pattern == "pubsub":
		return "Publish"
	case c.Verb == Thr && max(c.Senders, c.Receivers) > 1:
		return "Fan"
	case c.Verb == Thr:
		return "Receive"
	case c.Open():
		return "OpenLoop"
	}
	return "Latency"
}

// String returns the cell for people: "thr pushpull tcp 64 batch".
func (c Cell) String() string {
	words := []string{c.Verb, c.Pattern, c.Transport, strconv.Itoa(c.Size)}
	add := func(word string) {
		if word != "" {
			words = append(words, word)
		}
	}
	add(c.Mode)
	add(c.Strategy)
	if c.Senders > 1 || c.Receivers > 1 {
		add(fmt.Sprintf("%d:%d", max(c.Senders, 1), max(c.Receivers, 1)))
	}
	if c.Window > 1 {
		add(fmt.Sprintf("window %d", c.Window))
	}
	if c.Procs > 1 {
		add(fmt.Sprintf("%d processes", c.Procs))
	}
	if c.Hosts > 1 {
		add(fmt.Sprintf("%d hosts", c.Hosts))
	}
	add(c.Security)
	if c.Open() {
		add("at " + strconv.FormatFloat(c.Rate, 'f', -1, 64) + "/s")
		if c.Arrivals != "uniform" {
			add(c.Arrivals)
		}
	}
	add(c.Options)
	add(c.Engine)
	if c.Impl == "c" {
		add("in C")
	}
	return strings.Join(words, " ")
}
