package record

import (
	"fmt"
	"slices"
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
	Parts     int    `json:"parts,omitempty"`     // that the payload is cut into; 0: one
	Payload   string `json:"payload,omitempty"`   // name of the file that it is from; empty: bytes by chance
	Mode      string `json:"mode,omitempty"`      // how the receiver receives; package workload has the names
	Strategy  string `json:"strategy,omitempty"`  // where messages lie, in place of a mode
	Impl      string `json:"impl"`                // "go", or "c": the same loop in C
	Engine    string `json:"engine,omitempty"`    // which libzmq, when several are measured
	Senders   int    `json:"senders,omitempty"`   // 0: one
	Receivers int    `json:"receivers,omitempty"` // 0: one
	Window    int    `json:"window,omitempty"`    // round trips under way at once; 0: one
	Procs     int    `json:"procs,omitempty"`     // processes; 0: one
	Security  string `json:"security,omitempty"`  // "curve"

	// Rate is the offered load, in messages a second; 0: as fast as it goes.
	Rate     float64 `json:"rate,omitempty"`
	Arrivals string  `json:"arrivals,omitempty"` // with a Rate: "uniform", "poisson"

	// Pin says on which processors threads run, in lists: those that send first, those
	// that receive from them, libzmq's own: "0/1/0-1".
	Pin string `json:"pin,omitempty"`

	// Options are what else differs from libzmq's defaults, in the order of their
	// names: "hwm=10,io-threads=2".
	Options string `json:"options,omitempty"`
}

// Open reports whether the cell is an open loop: messages are due at times that do
// not depend on the replies.
func (c Cell) Open() bool { return c.Rate > 0 }

// countsCPU reports whether the processor time of a message can be told. An open loop
// that waits otherwise than asleep uses a processor, whatever a message costs.
func (c Cell) countsCPU(pace string) bool {
	return !c.Open() || pace == "" || pace == "sleep"
}

// flows reports whether messages of the cell are counted as they go by, so that what is
// known of them is how fast they do: of each role except one that sends and is answered.
func (c Cell) flows() bool {
	switch c.Verb {
	case Lat:
		return false
	case "send":
		return c.OneWay()
	}
	return true
}

// Has reports whether the figures of a run of the cell have one with this unit. pace is
// how an open loop waits. Latencies are left out where they are those of a queue that
// grows.
func (c Cell) Has(unit, pace string) bool {
	switch unit {
	case "GB/s", "ns/msg":
		return c.flows()
	case "sent-msg/s":
		return c.Verb == Thr
	case "cpu-ns/msg":
		return c.countsCPU(pace)
	}
	return c.Verb != Thr || !strings.HasSuffix(unit, "-ns")
}

// OneWay reports whether messages of the pattern are not answered.
func (c Cell) OneWay() bool {
	return slices.Contains([]string{"pushpull", "pubsub", "scattergather", "radiodish"}, c.Pattern)
}

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
	number("parts", c.Parts)
	part("payload", c.Payload)
	number("senders", c.Senders)
	if c.Verb == Thr && (c.Pattern == "pubsub" || c.Pattern == "radiodish") {
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
	part("pin", c.Pin)
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

// API returns the mode or the strategy for people: the strategy "batch", which is named
// like a mode, is what --api calls batchcopy.
func (c Cell) API() string {
	if c.Strategy == "batch" {
		return "batchcopy"
	}
	return c.Mode + c.Strategy
}

// String returns the cell for people: "thr pushpull tcp 64 batch".
func (c Cell) String() string {
	words := []string{c.Verb, c.Pattern, c.Transport, strconv.Itoa(c.Size)}
	add := func(word string) {
		if word != "" {
			words = append(words, word)
		}
	}
	if c.Parts > 1 {
		add(fmt.Sprintf("parts=%d", c.Parts))
	}
	add(c.Payload)
	add(c.API())
	if c.Senders > 1 || c.Receivers > 1 {
		add(fmt.Sprintf("%d:%d", max(c.Senders, 1), max(c.Receivers, 1)))
	}
	if c.Window > 1 {
		add(fmt.Sprintf("window %d", c.Window))
	}
	if c.Procs > 1 {
		add(fmt.Sprintf("%d processes", c.Procs))
	}
	add(c.Security)
	if c.Open() {
		add("at " + strconv.FormatFloat(c.Rate, 'f', -1, 64) + "/s")
		if c.Arrivals != "uniform" {
			add(c.Arrivals)
		}
	}
	if c.Pin != "" {
		add("pin=" + c.Pin)
	}
	add(c.Options)
	add(c.Engine)
	if c.Impl == "c" {
		add("in C")
	}
	return strings.Join(words, " ")
}
