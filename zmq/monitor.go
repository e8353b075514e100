package zmq

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
)

// Monitor reports what happens to the connections of a socket. It is safe for use by any
// number of goroutines; each event goes to only one of them. Create one with
// [Socket.Monitor], and Close it. A socket may have several monitors.
//
// At most 4096 events wait in a queue. When the queue is full, the oldest event is
// dropped and counted by Dropped, so an unread monitor does not delay the socket.
//
// Closing the socket ends its monitors. libzmq closes the socket's listeners a moment
// later. A monitor that was created with EventClosed or EventCloseFailed therefore ends
// only after it has reported those events. Context.Close waits for such monitors, but
// Context.Shutdown does not.
type Monitor struct {
	core *core.Monitor
	leak *leakWatch
}

const opMonitor = "monitor"

// Monitor returns a monitor that collects the given events from now on, so create it
// before Bind and Connect. libzmq monitors tcp, ipc and other transports, but reports no
// events for inproc; EventPeerJoined and EventPeerLeft do. Monitor does not block.
//
// An empty set, or one with unknown bits, returns EINVAL. Each monitored socket needs one socket
// inside libzmq, regardless of the number of its monitors; MaxSockets does not count it.
// EMFILE means that there is no room for that socket.
//
// Implements: zmq_socket_monitor.
func (s *Socket) Monitor(events MonitorEvents) (*Monitor, error) {
	c, err := s.live(opMonitor)
	if err != nil {
		return nil, err
	}
	switch unknown := events &^ everyEvent; {
	case events == 0:
		return nil, &Error{Op: opMonitor, Errno: syscall.EINVAL, Detail: "the set has no events; use EventAll or some of the Event constants"}
	case unknown != 0:
		return nil, &Error{Op: opMonitor, Errno: syscall.EINVAL, Detail: fmt.Sprintf("the bits %#x are not events; use the Event constants", uint32(unknown))}
	}
	cm, err := c.Monitor(uint64(events))
	if err != nil {
		return nil, wrapError(opMonitor, "", "", err)
	}
	m := &Monitor{core: cm}
	m.leak = watchLeak(m, "monitor")
	return m, nil
}

// Next returns the next event. It blocks until there is one or ctx is done; if ctx is
// done first, the error wraps ctx.Err(). With DontWait it returns ErrAgain instead of
// blocking.
//
// The monitor ends when it or its socket is closed, or when the context is shut down. Next
// then returns the remaining events, the last of which is EventMonitorStopped if the
// monitor was created with it. After the last event it returns ErrClosed.
//
// Implements: zmq_msg_recv.
func (m *Monitor) Next(ctx context.Context, flags ...Flag) (MonitorEvent, error) {
	if m == nil || m.core == nil {
		return MonitorEvent{}, &Error{Op: opMonitor, Errno: errnoClosed, Detail: "the monitor is nil; create one with Socket.Monitor"}
	}
	if ctx == nil {
		return MonitorEvent{}, nilContext(opMonitor)
	}
	e, err := m.core.Next(ctx, flagsOf(flags)&DontWait != 0)
	if err != nil {
		return MonitorEvent{}, monitorErrors.failed(err)
	}
	return monitorEvent(&e), nil
}

var monitorErrors = newOpErrors(opMonitor, "")

// Events returns an iterator over the events. Each step blocks like Next does. When the
// monitor or its socket is closed, or the context is shut down, the loop ends after the
// last event. If ctx is done first, the last step has an error that wraps ctx.Err().
//
// Implements: zmq_msg_recv.
func (m *Monitor) Events(ctx context.Context) iter.Seq2[MonitorEvent, error] {
	return func(yield func(MonitorEvent, error) bool) {
		for {
			e, err := m.Next(ctx)
			if errors.Is(err, ErrClosed) {
				return
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Log writes the events to logger until the monitor ends, and returns nil. If ctx is done
// first, it returns an error that wraps ctx.Err(). A nil logger returns EINVAL. Failures
// are logged as warnings. Connection attempts and closed listeners are logged at
// debug level, and all other events at info level.
//
// Implements: zmq_msg_recv.
func (m *Monitor) Log(ctx context.Context, logger *slog.Logger) error {
	if logger == nil {
		return &Error{Op: opMonitor, Errno: syscall.EINVAL, Detail: "the logger is nil; pass one, such as slog.Default()"}
	}
	for e, err := range m.Events(ctx) {
		if err != nil {
			return err
		}
		logger.LogAttrs(ctx, e.level(), "zmq connection", e.attrs()...)
	}
	return nil
}

// Dropped returns the number of events that were dropped because 4096 were waiting.
func (m *Monitor) Dropped() uint64 {
	if m == nil || m.core == nil {
		return 0
	}
	return m.core.Dropped()
}

// Close ends the monitor. Events in its queue can still be received. The socket and its
// other monitors continue. Close does not block, and further calls do nothing.
//
// Implements: zmq_socket_monitor.
func (m *Monitor) Close() error {
	if m == nil || m.core == nil {
		return nil
	}
	m.leak.close()
	m.core.Close()
	return nil
}
