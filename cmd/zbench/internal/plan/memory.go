package plan

import (
	"fmt"
	"strconv"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// highWater is how many messages a socket has room for in one direction.
type highWater struct {
	marks float64
	set   string // by which option; empty: it is libzmq's default
}

// highWaters returns the marks of both directions. --hwm is for both and has the last
// word, as where the options are set. That one is no number is reported elsewhere.
func highWaters(options map[string]string) (send, receive highWater) {
	send, receive = highWater{marks: 1000}, highWater{marks: 1000}
	take := func(to *highWater, name, set string) {
		if n, err := strconv.Atoi(options[name]); err == nil {
			*to = highWater{float64(n), set + options[name]}
		}
	}
	take(&send, "SNDHWM", "--sockopt SNDHWM=")
	take(&receive, "RCVHWM", "--sockopt RCVHWM=")
	take(&send, "hwm", "--hwm ")
	take(&receive, "hwm", "--hwm ")
	return send, receive
}

// checkMemory looks at what may lie in queues when one end is held up.
func (p *Plan) checkMemory(problems *Problems, c record.Cell, peers int, memory int64) {
	if memory <= 0 {
		return
	}
	send, receive := highWaters(p.Options)
	if send.marks == 0 || receive.marks == 0 {
		if c.Open() {
			set := send.set
			if send.marks > 0 {
				set = receive.set
			}
			problems.add("%d B x %s (no limit) x %d peers may take all memory; give a limit", c.Size, set, peers)
		}
		return
	}
	if need := (send.marks + receive.marks) * float64(c.Size) * float64(peers); need > float64(memory)/2 {
		problems.add("%d B x (%v + %v) messages (--hwm) x %d peers may take %.1f GiB, more than half of the memory; give a smaller --hwm", c.Size, send.marks, receive.marks, peers, need/(1<<30))
	}
}

// checkMemory looks at what may lie in the queues of the role's socket when its peers are
// slower than it, or faster.
func (r *Role) checkMemory(problems *Problems, memory int64) {
	mark, receive := highWaters(r.Options)
	switch {
	case r.Verb == Recv:
		mark = receive
	case r.Verb != Send, !r.Ends().OneWay && r.Rate == 0: // a message of a closed loop waits for a reply
		return
	}
	size := fmt.Sprintf("%d B", r.Size)
	if r.Size < 0 {
		size = "messages of any size"
	}
	if mark.marks == 0 {
		problems.add("%s x %s (no limit) may take all memory; give a limit", size, mark.set)
	}
	if need := mark.marks * float64(r.Size) * float64(max(r.Peers, 1)); memory > 0 && need > float64(memory)/2 {
		problems.add("%s x %v messages (--hwm) x %d peers may take %.1f GiB, more than half of the memory; give a smaller --hwm", size, mark.marks, max(r.Peers, 1), need/(1<<30))
	}
}
