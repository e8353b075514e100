package record

import "time"

// Host is an agent of runs on many hosts.
type Host struct {
	Plan  string `json:"plan"`           // the ID of the plan
	Agent string `json:"agent"`          // its name, which is no host's unless the user gave it
	Node  string `json:"node,omitempty"` // of Kubernetes, that it runs on
	Env   string `json:"env"`            // the ID of its Env
	Clock Clock  `json:"clock"`          // when it joined
}

// Clock is what is known of an agent's clock against the coordinator's. The truth is
// within Error of Offset: half of what the fastest of several exchanges took.
// Latencies do not depend on it, for each is taken on one clock.
type Clock struct {
	Offset time.Duration `json:"offset_ns"` // how much the agent's clock is ahead
	Error  time.Duration `json:"error_ns"`
}

// The roles of agents.
const (
	Server   = "server"   // answers
	Client   = "client"   // sends, and takes replies
	Sender   = "sender"   // sends
	Receiver = "receiver" // counts what comes
)

// Part is what one agent did in a run.
type Part struct {
	Agent    string        `json:"agent"`
	Role     string        `json:"role"`
	Messages int64         `json:"messages,omitempty"`
	Elapsed  time.Duration `json:"elapsed_ns,omitzero"`
	P50      int64         `json:"p50_ns,omitempty"`
	P99      int64         `json:"p99_ns,omitempty"`
	Clock    Clock         `json:"clock"`             // as it was after the run
	Drift    time.Duration `json:"drift_ns,omitzero"` // by how much Offset changed in the run
}

// Host writes an agent. The Env that it names was written before.
func (w *Writer) Host(h Host) error {
	return w.line(struct {
		head
		Host
	}{head{Schema, "host"}, h})
}
