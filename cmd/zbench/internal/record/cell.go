package record

import (
	"fmt"
	"strconv"
	"strings"
)

// The verbs of measurements with both ends, or the sending end of round trips, in one
// process. The other verbs that measure are those of one side: send, recv and echo.
const (
	Thr = "thr" // throughput: messages at full speed, one way
	Lat = "lat" // latency: round trips, one after the other or at a rate

	Churn = "churn" // connections, one after the other
)

// Cell names what is measured. Cells are equal if they measure the same, and comparable
// with ==. A zero field does not apply or is the default.
type Cell struct {
	Verb      string `json:"verb"`                // Thr, Lat, or "send", "recv", "echo"
	Pattern   string `json:"pattern"`             // "pushpull"
	Transport string `json:"transport"`           // libzmq's name: "tcp"
	Size      int    `json:"size"`                // payload size in bytes
	Mode      string `json:"mode,omitempty"`      // throughput: "blocking" or "batch"
	Impl      string `json:"impl"`                // "go", or "c": the C baseline of quick
	Senders   int    `json:"senders,omitempty"`   // 0: one
	Receivers int    `json:"receivers,omitempty"` // 0: one
	Security  string `json:"security,omitempty"`  // "curve"
	Payload   string `json:"payload,omitempty"`   // "text", or the name of a file; "": random
	Parts     string `json:"parts,omitempty"`     // sizes of the parts: "16,64"; "": one part

	// Rate is the offered load in messages per second; 0: full speed.
	Rate     float64 `json:"rate,omitempty"`
	Arrivals string  `json:"arrivals,omitempty"` // with a Rate: "uniform" or "poisson"

	// Options are socket options that differ from libzmq's defaults, sorted by name:
	// "IO_THREADS=2,SNDHWM=10".
	Options string `json:"options,omitempty"`
}

// Open reports whether the cell has an offered load: messages are due at times that do
// not depend on the replies.
func (c Cell) Open() bool { return c.Rate > 0 }

// AnyRate returns the cell without its rate.
func (c Cell) AnyRate() Cell {
	c.Rate = 0
	return c
}

// Name returns the name of the cell for benchstat. The implementation comes last, because
// benchstat reads a hyphen and digits at the end as a number of processors.
func (c Cell) Name() string {
	var b strings.Builder
	b.WriteString(strings.ToUpper(c.Verb[:1]) + c.Verb[1:])
	for _, part := range []struct {
		key, value string
		shown      bool
	}{
		{"pattern", c.Pattern, true},
		{"transport", c.Transport, true},
		{"size", strconv.Itoa(c.Size), true},
		{"senders", strconv.Itoa(c.Senders), c.Senders > 1},
		{"receivers", strconv.Itoa(c.Receivers), c.Receivers > 1},
		{"mode", c.Mode, c.Mode != ""},
		{"rate", strconv.FormatFloat(c.Rate, 'f', -1, 64), c.Open()},
		{"arrivals", c.Arrivals, c.Arrivals == "poisson"},
		{"options", c.Options, c.Options != ""},
		{"security", c.Security, c.Security != ""},
		{"payload", c.Payload, c.Payload != ""},
		{"parts", c.Parts, c.Parts != ""},
		{"impl", c.Impl, true},
	} {
		if part.shown {
			fmt.Fprintf(&b, "/%s=%s", part.key, strings.NewReplacer("/", "_", " ", "_", "-", "_").Replace(part.value))
		}
	}
	return b.String()
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
	if c.Senders > 1 || c.Receivers > 1 {
		add(fmt.Sprintf("%d:%d", max(c.Senders, 1), max(c.Receivers, 1)))
	}
	add(c.Security)
	add(c.Payload)
	if c.Parts != "" {
		add("parts " + c.Parts)
	}
	if c.Open() {
		add("at " + strconv.FormatFloat(c.Rate, 'f', -1, 64) + "/s")
		if c.Arrivals != "uniform" {
			add(c.Arrivals)
		}
	}
	add(c.Options)
	if c.Impl == "c" {
		add("in C")
	}
	return strings.Join(words, " ")
}
