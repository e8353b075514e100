package load

import "fmt"

// MissingError is the end of a run in which messages had been sent that had not come.
type MissingError struct {
	Err        error // why the run ended
	Sent, Came uint64
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("%v; of %d messages that were sent %d had not come", e.Err, e.Sent, e.Sent-e.Came)
}

func (e *MissingError) Unwrap() error { return e.Err }

// missing adds to the end of a run what had not come, if that is so. It is called when no
// client works any more.
func (e *ends) missing(why error) error {
	m := &MissingError{Err: why}
	for _, c := range e.clients {
		m.Sent += c.next
		m.Came += c.wanted
	}
	if m.Came >= m.Sent {
		return why
	}
	return m
}

// complete returns an error if not as many messages came as were sent. It is called after
// the mark of the end, before which all others come: of messages without room for a number
// nothing else tells.
func (c *client) complete() error {
	if c.next != c.wanted {
		return fmt.Errorf("%d messages were sent and %d came: %w", c.next, c.wanted, errIntegrity)
	}
	return nil
}
