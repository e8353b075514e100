package cluster

import (
	"fmt"
	"net"
	"strings"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// Check returns all that speaks against measuring cells on so many agents.
func Check(cells []record.Cell, agents int) (problems []error) {
	add := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if agents < 2 {
		add("--expect %d: one agent receives or answers, another sends: use 2 or more", agents)
		return problems
	}
	seen := map[string]bool{}
	for _, c := range cells {
		for _, err := range checkCell(c, agents) {
			if !seen[err.Error()] {
				seen[err.Error()] = true
				add("%w", err)
			}
		}
	}
	return problems
}

func checkCell(c record.Cell, agents int) (problems []error) {
	add := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	switch c.Transport {
	case "inproc":
		add("transport inproc with agents: it lives inside one context; use tcp, or --tcp-only to leave out the others")
	case "ipc":
		add("transport ipc with agents: it does not leave a machine; use tcp, or --tcp-only to leave out the others")
	}
	if c.Verb == record.Thr {
		if c.Pattern != "pushpull" {
			add("thr with pattern %s and agents: use pushpull, where nothing may be lost, so that all is counted", c.Pattern)
		}
		if c.Mode != "batch" || c.Strategy != "" {
			add("thr with --api %s and agents: they send and receive in batches; use --api batch", c.API())
		}
	} else if c.OneWay() {
		add("lat with pattern %s and agents: one way would be timed by two clocks; use a pattern that answers, whose round trip one clock times", c.Pattern)
	}
	if c.Engine != "" {
		add("--engine with agents: each measures with the libzmq that it has loaded; set GOZMQ_LIBRARY there")
	}
	if c.Procs > 1 {
		add("--procs %d with agents: each is a process already; leave it out", c.Procs)
	}
	if _, err := roles(c, record.Method{}, agents); err != nil {
		problems = append(problems, err)
	}
	return problems
}

// CheckEndpoint looks at an endpoint to listen at, or with dial to connect to.
func CheckEndpoint(flag, endpoint string, dial bool) error {
	transport, address, ok := strings.Cut(endpoint, "://")
	if !ok || transport != "tcp" {
		return fmt.Errorf("--%s %s: write it as tcp://HOST:%d", flag, endpoint, DefaultPort)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil || port == "" {
		return fmt.Errorf("--%s %s: the port is missing; write it as tcp://HOST:%d", flag, endpoint, DefaultPort)
	}
	if dial {
		if err := CheckAddress(host); err != nil {
			return fmt.Errorf("--%s %s: %w", flag, endpoint, err)
		}
		if port == "*" || port == "0" {
			return fmt.Errorf("--%s %s: name the port that the coordinator printed", flag, endpoint)
		}
	}
	return nil
}
