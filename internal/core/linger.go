package core

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/rules"
)

// name names the socket in reports.
func (s *held) name() string {
	if s.endpoint == "" {
		return s.typ.String()
	}
	return s.typ.String() + " " + s.endpoint
}

// add records a socket that is about to be closed.
func (l *lingers) add(s *held, period time.Duration, cut bool) {
	fd := libzmq.GetInt(s.handle, libzmq.OptFD)
	e := lingering{name: s.name(), fd: fd, cut: cut}
	now := time.Now()
	if period >= 0 {
		e.expiry = now.Add(period)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e.id = eventfdID(fd)        // under the mutex, since many that read a file at once block as many threads
	if len(l.list) >= l.purge { // each look reads a file
		l.list = slices.DeleteFunc(l.list, func(old lingering) bool { return !old.holds(now) })
		l.purge = 2*len(l.list) + 16
	}
	l.list = append(l.list, e)
}

// unsent returns the names of the sockets that may have stopped lingering after a period
// that was never set and, unless the context is freed, of those that libzmq still has.
func (l *lingers) unsent(freed bool) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var names []string
	for _, e := range l.list {
		if now := time.Now(); e.gaveUp(now) || !freed && e.holds(now) {
			names = append(names, e.name)
		}
	}
	return names
}

// gaveUp reports whether the socket may have stopped lingering because its period was
// over.
func (e *lingering) gaveUp(now time.Time) bool {
	return e.cut && now.After(e.expiry.Add(-earlyTimers))
}

// earlyTimers is the longest time by which a libzmq timer may end early. libzmq counts
// whole milliseconds, so a period can be up to 1 ms too short. It reads its clock only
// after half a million ticks of the processor's counter, which take about 20 ms if the
// counter is slow.
const earlyTimers = 100 * time.Millisecond

// holds reports whether the socket still exists inside libzmq. libzmq keeps its
// descriptor open until then. The number alone proves nothing, because numbers are
// reused.
func (e *lingering) holds(now time.Time) bool {
	if e.id != "" {
		return eventfdID(e.fd) == e.id
	}
	return e.expiry.IsZero() || now.Before(e.expiry)
}

// eventfdID returns the id that Linux gives to each eventfd for its lifetime, or "" if
// there is no such eventfd, or the system does not say.
func eventfdID(fd int) string {
	if fd < 0 {
		return "" // a thread-safe socket
	}
	info, _ := os.ReadFile("/proc/self/fdinfo/" + strconv.Itoa(fd))
	_, id, _ := bytes.Cut(info, []byte("eventfd-id:"))
	id, _, _ = bytes.Cut(id, []byte("\n"))
	return string(bytes.TrimSpace(id))
}

// libzmq ends a connection with the linger period that its owner has at that moment, and
// nothing can change it later. The owner is a listener, which copies the options of its
// socket when it is bound, or otherwise the socket. A connection that was lost while the
// socket was ending it has no engine that could send what is queued, so without a limit it
// would stay forever, and with it its messages and the context (session_base.cpp,
// process_term). Therefore libzmq gets the default period as soon as a socket exists, and
// listeners get 0: they use it only for connections that are lost already.

// setDefaultLinger gives libzmq the default period of a new socket, unless libzmq has set
// the period itself.
func (s *held) setDefaultLinger() {
	if !s.lingerSet {
		setLinger(s.handle, s.linger)
	}
}

// bindListener calls zmq_bind with a linger period of 0 for the listener.
func (s *held) bindListener(endpoint string) int {
	setLinger(s.handle, 0)
	defer setLinger(s.handle, s.linger)
	return libzmq.Bind(s.handle, endpoint)
}

// reportedLinger returns the period that the option has for the user: libzmq's own
// default, which has no limit, until one was set.
func (s *held) reportedLinger() time.Duration {
	if !s.lingerSet {
		return -time.Millisecond
	}
	return s.linger
}

// setSafeLinger gives libzmq a period that is long enough for connections with an engine,
// which zmq_disconnect and zmq_unbind end. The returned function restores the socket's
// own.
func (s *held) setSafeLinger() (restore func()) {
	setLinger(s.handle, s.effectiveLinger(s.linger))
	return func() { setLinger(s.handle, s.linger) }
}

// noteLost records that a message was lost after some of its parts were sent.
func (s *held) noteLost(rc int) {
	if rc == -libzmq.ELOST {
		s.multipart = true
	}
}

func setLinger(handle libzmq.Socket, period time.Duration) {
	libzmq.SetOption(handle, libzmq.OptLinger, rules.Int(int(period/time.Millisecond)))
}

// DefaultLinger is the linger period of a closed socket if none was set and there is no
// deadline. libzmq's own default has no limit, so a peer that is gone would keep a
// program from ending. DefaultLinger does not apply to sockets that send subscriptions
// (subscribes).
const DefaultLinger = 1 * time.Second

// leastLinger is the shortest linger period that this package passes to libzmq. With
// zero, libzmq stops a connection in the middle of a message of several parts. It aborts
// the process if the peer disconnects before that is settled (session_base.cpp,
// clean_pipes: the rest of the message cannot be read). If the period is long enough,
// libzmq first gives the whole message to the connection. In stress tests, 1 ms failed
// within a second, 20 ms within a minute, and 50 ms not in two minutes. Sockets that never
// sent several parts need less. A close lasts the whole period only if it has messages that
// no peer takes.
const (
	leastLinger      = time.Millisecond
	leastLingerParts = 100 * time.Millisecond
)

// effectiveLinger returns the linger period that libzmq gets for the given period.
// Negative means no limit.
func (s *held) effectiveLinger(period time.Duration) time.Duration {
	switch {
	case period < 0:
		return period
	case s.stats.Sent.Parts > s.stats.Sent.Messages || s.multipart || s.typ.InTurn(): // these add a part
		return max(period, leastLingerParts)
	}
	return max(period, leastLinger)
}
