// Package cluster measures cells on many hosts. A coordinator binds a ROUTER, agents
// dial it with a DEALER: they need no address of their own that is known before, and
// get through NAT. What they exchange is one part of JSON a message.
//
// An agent says hello, and is welcomed or refused. Then, for each run, receivers
// bind and say where, senders connect and say that they are ready, all start at the
// same time, and say what they measured. A latency is always a round trip on the
// clock of the agent that sends.
package cluster

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// Protocol numbers the form of the messages. It changes with what an older agent or
// coordinator would misunderstand.
const Protocol = 1

// Versions are what has to be equal for numbers of several hosts to be those of one
// program.
type Versions struct {
	Protocol int
	Zbench   string
	Binding  string
}

// OwnVersions returns those of this program.
func OwnVersions() Versions {
	v := Versions{Protocol, machine.Version(), machine.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "github.com/go-zmq/go-zmq" {
				v.Binding = m.Version
			}
		}
	}
	return v
}

func (v Versions) String() string {
	return fmt.Sprintf("zbench %s, binding %s, protocol %d", v.Zbench, v.Binding, v.Protocol)
}

// The kinds of messages.
const (
	// From an agent.
	hello  = "hello"  // until welcome, or refused
	clock  = "clock"  // the reply to probe
	bound  = "bound"  // a receiver's sockets are there
	ready  = "ready"  // a sender's connections are there
	done   = "done"   // its part of the run has ended
	failed = "failed" // so has this, or the agent's machine cannot do it
	leave  = "leave"  // it ends

	// From the coordinator.
	welcome = "welcome"
	refused = "refused"
	probe   = "probe"
	work    = "work"  // a part of a run
	start   = "start" // at a time
	stop    = "stop"  // serving; the result is wanted
	abort   = "abort" // the result is not wanted
	bye     = "bye"   // all is done

	// From both, now and then, so that silence says that the other has gone.
	beat = "beat"
)

// message is all that is sent, in both directions; each kind has some of the fields.
type message struct {
	Kind string
	Task int    `json:",omitempty"` // the number of the run, so that what is late is known to be
	Text string `json:",omitempty"` // why

	Versions *Versions   `json:",omitempty"` // hello
	Name     string      `json:",omitempty"` // hello: the wish; welcome: the name
	Env      *record.Env `json:",omitempty"` // hello
	Host     string      `json:",omitempty"` // hello: for the coordinator's terminal, not for the results
	Node     string      `json:",omitempty"` // hello: of Kubernetes
	Boot     string      `json:",omitempty"` // hello: equal for agents on one machine
	Loopback bool        `json:",omitempty"` // hello: it can be reached from its own host only

	LostAfter time.Duration `json:",omitempty"` // welcome
	Wall      int64         `json:",omitempty"` // clock: the agent's time; start: when, on the agent's clock
	Probe     int           `json:",omitempty"` // probe, clock: its number

	Assignment *assignment   `json:",omitempty"` // work
	Peer       *load.Peer    `json:",omitempty"` // bound
	Run        *record.Run   `json:",omitempty"` // done
	Total      int64         `json:",omitempty"` // done, of a stream: messages sent or received, the warm-up's too
	Took       time.Duration `json:",omitempty"` // done, of a sender: in which they were sent
}

// assignment is an agent's part of a run.
type assignment struct {
	Role    string
	Cell    record.Cell // with the agent's share of senders and rate
	Method  record.Method
	Peer    *load.Peer `json:",omitempty"` // of clients and senders
	Senders int        `json:",omitempty"` // that a receiver waits for
}

func encode(m message) ([]byte, error) {
	data, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("a message to another host cannot be encoded: %w", err)
	}
	return data, nil
}

// decode takes what anybody may have sent.
func decode(data []byte) (m message, err error) {
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("a message that is not zbench's: %w", err)
	}
	return m, nil
}
