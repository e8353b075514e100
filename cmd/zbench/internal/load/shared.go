package load

import (
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/zmq"
)

// What the roles of package role share with the measurements of this package.

// InFlight is how many messages of a sender may be under way when it is to be known
// of each when it was sent. See inFlight.
const InFlight = 1 << 17

// Meter says what the process uses from Begin on.
type Meter struct{ from usage }

// Begin starts it.
func (m *Meter) Begin() { m.from.read() }

// Until writes what was used since into a record.
func (m *Meter) Until(r *record.Run) { m.from.until(r) }

// Settings returns the settings of options as Options returns them.
func Settings(list string) (ofContext []zmq.ContextSetting, ofSockets []zmq.Setting, err error) {
	return options(list)
}

// Late is how long after the end messages that were due before may be sent, and
// replies come, and still be in time.
func Late(duration time.Duration) time.Duration { return late(duration) }
