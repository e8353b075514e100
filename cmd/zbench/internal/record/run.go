package record

import "time"

// Method says how a cell was measured.
type Method struct {
	Warmup   time.Duration `json:"warmup_ns"`             // measured first, and thrown away
	Duration time.Duration `json:"duration_ns,omitempty"` // how long, or
	Count    int           `json:"count,omitempty"`       // how many messages
	Seed     uint64        `json:"seed,omitempty"`        // of random arrivals
	Pace     string        `json:"pace,omitempty"`        // "spin", "urgent" or "sleep": how an open loop waits

	// Sample says that one in so many messages is timed; 0: all are.
	Sample int `json:"sample,omitempty"`
	// Percentiles are those that are shown; none: the package's own.
	Percentiles []float64 `json:"percentiles,omitempty"`
	// Payload is the file that messages consist of; empty: bytes by chance.
	Payload string `json:"payload,omitempty"`
}

// Shown returns the percentiles that are shown.
func (m Method) Shown() []float64 {
	if len(m.Percentiles) == 0 {
		return Percentiles
	}
	return m.Percentiles
}

// Run is what one repeat of one cell measured.
type Run struct {
	Cell   Cell      `json:"cell"`
	Env    string    `json:"env"`    // the ID of an Env of the same file
	Repeat int       `json:"repeat"` // from 1
	Start  time.Time `json:"start"`
	Method Method    `json:"method"`

	// Invalid is why the numbers are not to be used: the run failed, or was
	// interrupted. Such a run is kept since it is a result too. Empty: valid.
	Invalid string `json:"invalid,omitempty"`
	// Saturated says that less went through than Rate asked for, so that the
	// latencies are those of a queue that grows.
	Saturated bool     `json:"saturated,omitempty"`
	Warnings  []string `json:"warnings,omitempty"`

	Messages  int64         `json:"messages"`            // received; round trips: replies
	Bytes     int64         `json:"bytes"`               // of their payload
	Elapsed   time.Duration `json:"elapsed_ns"`          // in which they were
	SendTime  time.Duration `json:"send_ns,omitempty"`   // in which they were sent; 0: not known
	Due       int64         `json:"due,omitempty"`       // open loop: messages that were to be sent
	Planned   time.Duration `json:"planned_ns,omitzero"` // in which they were to be sent
	Unsent    int64         `json:"unsent,omitempty"`    // of these, those that were not
	Lost      int64         `json:"lost"`                // sent, and never received
	Doubled   int64         `json:"doubled"`             // received more than once
	Reordered int64         `json:"reordered,omitempty"` // received before an earlier one

	CPU        time.Duration `json:"cpu_ns"`                // of all threads of the process; both ends
	Allocs     uint64        `json:"allocs"`                // objects on Go's heap
	AllocBytes uint64        `json:"alloc_bytes"`           // their bytes
	GCs        uint32        `json:"gcs"`                   // garbage collections
	Crossings  int64         `json:"crossings"`             // calls from Go into C
	Rescues    uint64        `json:"rescues,omitempty"`     // calls that the binding's watchdog had to wake: a fault of the binding
	Stalls     int           `json:"stalls,omitempty"`      // 100 ms and more in which a closed loop stood still
	HitRate    float64       `json:"hit_rate,omitempty"`    // of a pool, 0 to 1
	Steal      float64       `json:"steal,omitempty"`       // of the processors' time, taken by the host: 0 to 1
	Throttled  time.Duration `json:"throttled_ns,omitzero"` // in which the control group's limit stopped the process

	// Latency has the latencies by name, see the constants.
	Latency map[string]*Latency `json:"latency,omitempty"`
}

// Names of latencies.
const (
	RTT     = "rtt"     // closed loop: a round trip
	Due     = "due"     // open loop: from the moment the message was due to its reply
	Sent    = "sent"    // open loop: from the moment it was sent, which leaves out its waiting to be
	Pacer   = "pacer"   // open loop: how much later than due the sending began
	Machine = "machine" // how much longer than asked a sleeping thread slept meanwhile
)

// Valid reports whether the numbers may be used.
func (r *Run) Valid() bool { return r.Invalid == "" }

// Main returns the latency that is the run's result: Due or RTT; nil if there is
// none.
func (r *Run) Main() *Latency {
	if l := r.Latency[Due]; l != nil {
		return l
	}
	return r.Latency[RTT]
}

// Rate returns how many messages a second came.
func (r *Run) Rate() float64 { return perSecond(float64(r.Messages), r.Elapsed) }

// SendRate returns how many messages a second were sent; 0: not known.
func (r *Run) SendRate() float64 { return perSecond(float64(r.Messages+r.Lost), r.SendTime) }

// NsPerMessage returns the nanoseconds between two messages' coming.
func (r *Run) NsPerMessage() float64 { return r.per(float64(r.Elapsed)) }

// Achieved returns the share of the offered load that went through in time, 0 to
// 1; 1 for a closed loop.
func (r *Run) Achieved() float64 {
	if !r.Cell.Open() || r.Due == 0 {
		return 1
	}
	share := float64(r.Messages) / float64(r.Due)
	if r.Planned > 0 && r.Elapsed > r.Planned {
		share *= float64(r.Planned) / float64(r.Elapsed)
	}
	return share
}

func (r *Run) per(total float64) float64 {
	if r.Messages == 0 {
		return 0
	}
	return total / float64(r.Messages)
}

func perSecond(amount float64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return amount / d.Seconds()
}

// Nominal is what to say beside the GB/s of inproc.
const Nominal = "GB/s over inproc is nominal: between the sockets libzmq passes pointers, not bytes."

// A Figure is one number of a run, with its unit. The unit is its name in
// benchmarks, comparisons and objectives. "ns" at a unit's end or before its slash
// is nanoseconds.
type Figure struct {
	Unit   string
	Value  float64
	Better int // +1: higher is better; -1: lower
}

// Figures returns the run's numbers, in the order in which they are shown. Those
// that the run does not have are left out.
func (r *Run) Figures() []Figure {
	f := []Figure{{"msg/s", r.Rate(), 1}}
	if r.Cell.flows() {
		f = []Figure{{"ns/msg", r.NsPerMessage(), -1}, f[0], {"GB/s", perSecond(float64(r.Bytes), r.Elapsed) / 1e9, 1}}
	}
	l := r.Main()
	switch {
	case r.Cell.Verb == Thr:
		if r.SendTime > 0 {
			f = append(f, Figure{"sent-msg/s", r.SendRate(), 1})
		}
	case l != nil && !r.Saturated:
		for _, p := range r.Method.Shown() {
			f = append(f, Figure{PercentileName(p) + "-ns", l.Percentile(p), -1})
		}
		f = append(f, Figure{"max-ns", float64(l.Max), -1}, Figure{"mean-ns", l.Mean, -1}, Figure{"min-ns", float64(l.Min), -1})
	case l == nil && r.Cell.Verb == Lat && r.Cell.Impl == "c":
		// Round trips of C that were not timed one by one have a mean.
		f = append(f, Figure{"mean-ns", r.NsPerMessage(), -1})
	}
	if r.Cell.countsCPU(r.Method.Pace) {
		f = append(f, Figure{"cpu-ns/msg", r.per(float64(r.CPU)), -1})
	}
	f = append(f,
		Figure{"cgo/msg", r.per(float64(r.Crossings)), -1},
		Figure{"B/msg", r.per(float64(r.AllocBytes)), -1},
		Figure{"allocs/msg", r.per(float64(r.Allocs)), -1},
		Figure{"lost", float64(r.Lost), -1})
	if r.HitRate > 0 {
		f = append(f, Figure{"hit-%", 100 * r.HitRate, 1})
	}
	return f
}

// Figure returns the number with this unit. Percentiles are there with any
// number: "p99.5-ns".
func (r *Run) Figure(unit string) (value float64, ok bool) {
	for _, f := range r.Figures() {
		if f.Unit == unit {
			return f.Value, true
		}
	}
	if p, ok := parsePercentile(unit); ok && r.Main() != nil && !r.Saturated {
		return r.Main().Percentile(p), true
	}
	return 0, false
}
