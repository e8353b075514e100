package load

import (
	"fmt"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// Possible reports why a cell cannot be measured.
func Possible(c record.Cell) error {
	s := c.Ends()
	if s.Draft && c.Transport == "inproc" {
		return fmt.Errorf("%s over inproc: libzmq hangs when sockets of its draft types use it; use ipc or tcp (--transport)", c.Pattern)
	}
	if c.Verb == record.Thr {
		return Spec(c).Validate()
	}
	switch {
	case s.FansOut:
		return fmt.Errorf("lat with pattern %s: its messages are not answered; use thr", c.Pattern)
	case !s.Answered && !c.Open():
		return fmt.Errorf("lat with pattern %s: its messages are not answered; use --rate, which measures one way", c.Pattern)
	case c.Receivers > 1:
		return fmt.Errorf("lat with --peers %d:%d: clients are senders, and one server answers; use %d:1", c.Senders, c.Receivers, c.Senders)
	case s.Single && c.Senders > 1:
		return fmt.Errorf("%s with --peers %d:%d: a client would get the replies of another; use dealerrouter, routerrouter or reqrep", c.Pattern, c.Senders, max(c.Receivers, 1))
	case c.Security == "curve" && c.Transport == "inproc":
		return fmt.Errorf("--security curve with inproc: nothing is encrypted within a process; use ipc or tcp")
	}
	return nil
}
