package record

import "time"

// Method says how a cell was measured.
type Method struct {
	Warmup   time.Duration `json:"warmup_ns"`             // measured first and discarded
	Duration time.Duration `json:"duration_ns,omitempty"` // of the measured part
	Count    int           `json:"count,omitempty"`       // one side: messages, in place of a duration
	Pace     string        `json:"pace,omitempty"`        // with a Rate: "spin" or "sleep"
	Endpoint string        `json:"endpoint,omitempty"`    // of the echo elsewhere, or of the other side
	Key      string        `json:"-"`                     // the public CURVE key of that echo
	Payload  string        `json:"-"`                     // what load.Payloads takes; the cell has its name
	Parts    []int         `json:"-"`                     // sizes of the parts; none: one
}

// Run is the result of one repeat of one cell.
type Run struct {
	Plan   string    `json:"plan,omitempty"` // the ID of a Plan of the same file
	Env    string    `json:"env"`            // the ID of an Env of the same file
	Cell   Cell      `json:"cell"`
	Repeat int       `json:"repeat"` // from 1
	Start  time.Time `json:"start"`
	Method Method    `json:"method"`

	// Invalid says why the numbers must not be used: the run failed or was Interrupted. It
	// is empty for a valid run.
	Invalid string `json:"invalid,omitempty"`
	// Saturated says that less went through than Rate asked for, so that the latencies
	// are those of a growing queue.
	Saturated bool     `json:"saturated,omitempty"`
	Warnings  []string `json:"warnings,omitempty"` // what disturbed the run
	// Judged says, of an attempt of a search, whether it met the objectives: "met" or
	// "missed". Most attempts at a rate decide, and the others are not shown.
	Judged string `json:"judged,omitempty"`

	Messages   int64         `json:"messages"`             // received; round trips: replies
	Bytes      int64         `json:"bytes"`                // of their payload
	Elapsed    time.Duration `json:"elapsed_ns"`           // in which they came
	SendTime   time.Duration `json:"send_ns,omitempty"`    // in which they were sent; 0: unknown
	Due        int64         `json:"due,omitempty"`        // offered load: messages that were due
	Planned    time.Duration `json:"planned_ns,omitzero"`  // in which they were due
	Unsent     int64         `json:"unsent,omitempty"`     // of these, those that were not sent
	Lost       int64         `json:"lost"`                 // sent and never received
	Duplicated int64         `json:"duplicated"`           // received more than once
	Reordered  int64         `json:"reordered,omitempty"`  // received before an earlier one
	Gone       string        `json:"gone,omitempty"`       // when a peer left or fell silent, with messages under way
	Over       bool          `json:"-"`                    // with Gone: the peer did not come back
	ConnBytes  int64         `json:"conn_bytes,omitempty"` // churn: memory of a connection, at both ends together
	ConnFiles  float64       `json:"conn_files,omitempty"` // churn: descriptors of a connection, at both ends together
	Smallest   int           `json:"smallest,omitempty"`   // one side: the sizes of the messages, if they differ
	Largest    int           `json:"largest,omitempty"`

	// Idle is, of round trips one after the other, the time in which none was under way.
	Idle       time.Duration `json:"idle_ns,omitempty"`
	CPU        time.Duration `json:"cpu_ns"`      // of all threads of the process
	Allocs     uint64        `json:"allocs"`      // objects on the Go heap
	AllocBytes uint64        `json:"alloc_bytes"` // their bytes
	GCs        uint32        `json:"gcs"`         // garbage collections
	Crossings  int64         `json:"crossings"`   // calls from Go into C

	// Latency has the latencies by name, see the constants.
	Latency map[string]*Latency `json:"latency,omitempty"`
	// Timeline has the main latency over the time of the run.
	Timeline []Moment `json:"timeline,omitempty"`
}

// Interrupted is why a run is invalid that was under way when the user stopped zbench.
const Interrupted = "interrupted"

// Judgement returns the text of Judged.
func Judgement(met bool) string {
	if met {
		return "met"
	}
	return "missed"
}

// Moment is the latency of the messages of one interval of a run.
type Moment struct {
	At  time.Duration `json:"at_ns"` // the end of the interval, from the start of the measured part
	P50 int64         `json:"p50_ns"`
	P99 int64         `json:"p99_ns"`
	Max int64         `json:"max_ns"`
}

// Names of latencies.
const (
	RTT     = "rtt"     // round trips one after the other
	Due     = "due"     // offered load: from the due time of a message to its reply
	Sent    = "sent"    // offered load: from the sending of a message to its reply
	Pacer   = "pacer"   // offered load: how late the sending began
	Machine = "machine" // how late a sleeping thread woke up during the run
)

// Valid reports whether the numbers may be used.
func (r *Run) Valid() bool { return r.Invalid == "" }

// Main returns the latency that is the result: Due or RTT; nil if there is none.
func (r *Run) Main() *Latency {
	if l := r.Latency[Due]; l != nil {
		return l
	}
	return r.Latency[RTT]
}

// Rate returns the completed messages per second.
func (r *Run) Rate() float64 { return perSecond(float64(r.Messages), r.Elapsed) }

// SentRate returns the sent messages per second; 0: unknown.
func (r *Run) SentRate() float64 {
	sent := r.Due - r.Unsent
	if r.Due == 0 {
		sent = r.Messages + r.Lost
	}
	return perSecond(float64(sent), r.SendTime)
}

// Achieved returns the share of the offered load that went through in time, from 0 to 1;
// 1 without an offered load.
func (r *Run) Achieved() float64 {
	if !r.Cell.Open() || r.Due == 0 {
		return 1
	}
	share := float64(r.Messages) / float64(r.Due)
	if r.Gone != "" { // that replies are missing says nothing about the load
		share = float64(r.Messages+r.Lost) / float64(r.Due)
	}
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
