package zmq

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Monitor tells what happens to a socket's connections. It is safe for use by any
// number of goroutines; each event goes to one of them. Make one with
// [Socket.Monitor], as many for one socket as you like, and Close it.
//
// Events wait in a queue of 4096 until somebody takes them. When it is full the oldest
// is dropped, and Dropped counts it: a monitor that is not read holds nothing up.
type Monitor struct {
	core   *core.Monitor
	socket *Socket
	events MonitorEvents
	leak   *leakWatch
}

const opMonitor = "monitor"

// Monitor begins to collect the events given, for tcp, ipc and the other transports
// that libzmq monitors; inproc has no events. It reports what happens from now on,
// so it is best made before Bind and Connect; it does not wait.
//
// An empty set of events, or one with unknown bits, is EINVAL; EventPipesStats is
// ErrNotSupported where libzmq was built without its draft API. EMFILE means that
// the context has no place for the socket inside libzmq that this takes: one for each
// monitored socket, however many monitors it has, which MaxSockets does not count.
// zmq_socket_monitor, zmq_socket_monitor_versioned.
func (s *Socket) Monitor(events MonitorEvents) (*Monitor, error) {
	c, err := s.live(opMonitor)
	if err != nil {
		return nil, err
	}
	switch unknown := events &^ (EventAll | EventPipesStats); {
	case events == 0:
		return nil, &Error{Op: opMonitor, Errno: syscall.EINVAL, Detail: "there is no event in the set; use EventAll or some of the Event constants"}
	case unknown != 0:
		return nil, &Error{Op: opMonitor, Errno: syscall.EINVAL, Detail: fmt.Sprintf("no events have the bits %#x; use the Event constants", uint32(unknown))}
	case events&EventPipesStats != 0 && !libzmq.MonitorVersioned():
		return nil, errNoPipesStats()
	}
	cm, err := c.Monitor(uint64(events))
	if err != nil {
		return nil, wrapError(opMonitor, "", "", err)
	}
	m := &Monitor{core: cm, socket: s, events: events}
	m.leak = watchLeak(m, "monitor")
	return m, nil
}

func errNoPipesStats() error {
	return &Error{Op: opMonitor, Errno: syscall.ENOTSUP, Detail: "PIPES_STATS is of libzmq's draft API, without which the libzmq in use was built; name one that has it with GOZMQ_LIBRARY"}
}

// Next waits for an event. It fails with an error that wraps ctx.Err() when ctx
// ends, and with ErrClosed when there are no more: after the last event, which is
// EventMonitorStopped if that was asked for, because the monitor or its socket was
// closed or the context shut down. zmq_msg_recv.
func (m *Monitor) Next(ctx context.Context) (MonitorEvent, error) {
	if m == nil || m.core == nil {
		return MonitorEvent{}, errNoMonitor()
	}
	e, err := m.core.Next(ctx)
	if err != nil {
		return MonitorEvent{}, monitorError(err)
	}
	return monitorEvent(&e), nil
}

func errNoMonitor() error {
	return &Error{Op: opMonitor, Errno: errnoClosed, Detail: "the monitor is nil; make one with Socket.Monitor"}
}

var errMonitorClosed = &Error{Op: opMonitor, Errno: errnoClosed, Detail: "the monitor is closed, or its socket is"}

func monitorError(err error) error {
	if err == core.ErrClosed {
		return errMonitorClosed
	}
	return wrapError(opMonitor, "", "", err)
}

// Events returns an iterator over the events, for use in a range loop. The loop ends
// by itself after the last event, when the monitor or its socket was closed or the
// context shut down; when ctx ends, its last step has an error that wraps ctx.Err().
// zmq_msg_recv.
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

// Log writes the events to logger until there are no more, which is no error, or ctx
// ends, whose error it returns wrapped. What failed is a warning, attempts to connect
// are for debugging, all else is information. zmq_msg_recv.
func (m *Monitor) Log(ctx context.Context, logger *slog.Logger) error {
	if logger == nil {
		return &Error{Op: opMonitor, Errno: syscall.EINVAL, Detail: "the logger is nil; slog.Default() is one"}
	}
	for e, err := range m.Events(ctx) {
		if err != nil {
			return err
		}
		logger.LogAttrs(ctx, e.level(), "zmq connection", e.attrs()...)
	}
	return nil
}

// Dropped returns how many events were dropped, each time the oldest, because 4096
// waited to be taken.
func (m *Monitor) Dropped() uint64 {
	if m == nil || m.core == nil {
		return 0
	}
	return m.core.Dropped()
}

// RequestPipesStats asks for the lengths of the queues of each connection: an
// EventPipesStats for each follows, to all of the socket's monitors that have it in
// their set. It does not wait. A socket that has no connection gives ErrAgain; a libzmq
// without its draft API, ErrNotSupported; EINVAL means that this monitor's set is
// without the event. libzmq can crash when a connection is just ending, see
// docs/safety.md. zmq_socket_monitor_pipes_stats.
func (m *Monitor) RequestPipesStats() error {
	switch {
	case m == nil || m.core == nil:
		return errNoMonitor()
	case !libzmq.MonitorVersioned():
		return errNoPipesStats()
	case m.events&EventPipesStats == 0:
		return &Error{Op: opMonitor, Errno: syscall.EINVAL, Detail: "the monitor was made without EventPipesStats; make one with it"}
	}
	return wrapError(opMonitor, "", "", m.socket.core.RequestPipesStats())
}

// Close ends the monitor. What is in its queue can still be taken. The socket, and its
// other monitors, go on. Further calls do nothing; it does not wait. zmq_socket_monitor.
func (m *Monitor) Close() error {
	if m == nil || m.core == nil {
		return nil
	}
	m.leak.close()
	m.core.Close()
	return nil
}
