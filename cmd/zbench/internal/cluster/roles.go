package cluster

import (
	"fmt"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// part is what an agent is to do in a run.
type part struct {
	agent      int // by its place in the list of agents
	assignment assignment
	to         int // of a client or sender: the place of its server or receiver in the list of parts
}

// roles distributes a cell over so many agents: receivers first, then senders, in the
// order in which agents joined. Agents for which there is nothing to do have no part.
func roles(cell record.Cell, method record.Method, agents int) (parts []part, err error) {
	receivers := max(cell.Receivers, 1)
	receiving, sending := record.Receiver, record.Sender
	if cell.Verb == record.Lat {
		receiving, sending = record.Server, record.Client
	}
	senders := max(cell.Senders, 1)
	if agents < 2*receivers {
		return nil, fmt.Errorf("%s: %d receiving and as many sending need %d agents, there are %d", cell, receivers, 2*receivers, agents)
	}
	if senders < receivers {
		return nil, fmt.Errorf("%s: a receiver needs a sender of its own; use --peers %d:%d", cell, receivers, receivers)
	}
	sendingAgents := min(agents-receivers, senders)
	for i := range receivers {
		parts = append(parts, part{agent: i, assignment: assignment{Role: receiving, Cell: cell, Method: method}})
	}
	first := 0
	for i := range sendingAgents {
		// Shares differ by one at most.
		share := (i+1)*senders/sendingAgents - first
		p := part{agent: receivers + i, to: i % receivers, assignment: assignment{Role: sending, Cell: cell, Method: method}}
		p.assignment.Cell.Senders = share
		p.assignment.Cell.Rate = cell.Rate * float64(share) / float64(senders)
		p.assignment.Method.Seed += uint64(first) // or all would be random in the same way
		p.assignment.Method.Count = portion(method.Count, first, share, senders)
		parts[p.to].assignment.Senders += share
		parts = append(parts, p)
		first += share
	}
	return parts, nil
}

// portion returns the share of a count, so that all shares are the whole; one message
// at least, since a count of 0 is none.
func portion(count, first, share, all int) int {
	if count == 0 {
		return 0
	}
	return max((first+share)*count/all-first*count/all, 1)
}
