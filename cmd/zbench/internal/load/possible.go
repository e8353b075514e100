package load

import (
	"fmt"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// Possible reports why a cell cannot be measured.
func Possible(c record.Cell) error {
	if c.Verb == record.Lat && c.Impl == "go" {
		return possibleTrip(c)
	}
	if flag := foreign(c.Options); flag != "" {
		return fmt.Errorf("%s with %s: throughput has its own high-water marks and buffers, as the loop in C beside it; only --sockopt %s and %s are for it", c.Verb, flag, inBatch, outBatch)
	}
	if shapes[c.Pattern].draft && c.Transport == "inproc" {
		return draftInproc(c)
	}
	if c.Parts > 1 && c.Size/c.Parts < numbered {
		return fmt.Errorf("--size %d with --parts %d: the first part carries a number of %d bytes; use --size %d or more", c.Size, c.Parts, numbered, numbered*c.Parts)
	}
	return Spec(c).Validate()
}

func draftInproc(c record.Cell) error {
	return fmt.Errorf("%s over inproc: libzmq freezes when sockets of its draft types use it; use ipc or tcp (--transport)", c.Pattern)
}

func possibleTrip(c record.Cell) error {
	s, ok := shapes[c.Pattern]
	switch {
	case !ok:
		return fmt.Errorf("lat with pattern %s: nothing comes back there; use thr", c.Pattern)
	case s.oneWay && !c.Open():
		return fmt.Errorf("lat with pattern %s: nothing comes back; use --rate, which measures one way", c.Pattern)
	case s.draft && c.Transport == "inproc":
		return draftInproc(c)
	case s.draft && c.Parts > 1:
		return fmt.Errorf("%s with --parts %d: its messages have one part; use a pattern that is no draft", c.Pattern, c.Parts)
	case c.Parts > max(c.Size, 1):
		return fmt.Errorf("--size %d with --parts %d: a part has a byte or more; use a larger size or fewer parts", c.Size, c.Parts)
	case s.lockstep && c.Window > 1:
		return fmt.Errorf("%s with --pipeline %d: it has one request under way; use dealerrouter", c.Pattern, c.Window)
	case c.Receivers > 1:
		return fmt.Errorf("lat with --peers %d:%d: clients are senders, the server that answers is one; use %d:1", c.Senders, c.Receivers, c.Senders)
	case s.single && c.Senders > 1:
		return fmt.Errorf("%s with --peers %d:%d: a client would get another's replies; use dealerrouter, routerrouter or reqrep", c.Pattern, c.Senders, max(c.Receivers, 1))
	case c.Security == "curve" && c.Transport == "inproc":
		return fmt.Errorf("--security curve with inproc: nothing is encrypted within a process; use ipc or tcp")
	}
	return nil
}
