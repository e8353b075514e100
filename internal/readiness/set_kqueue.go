//go:build (darwin || dragonfly || freebsd || netbsd || openbsd) && !zmq_poll_portable

package readiness

import (
	"errors"
	"sync"
	"syscall"
)

// SeesThefts is false: clearing a signal triggers no event.
const SeesThefts = false

// Set is a set of descriptors to wait for. Its methods are safe for concurrent use,
// except that calls of Ready must not overlap and that only Close may be called after
// Close.
type Set struct {
	netpoll
	fd int

	mu     sync.Mutex
	has    map[int]Interest
	keys   map[int]uint64
	events []syscall.Kevent_t
}

// Open creates a Set. After Arm, a goroutine of the Set calls notify once when a
// descriptor becomes ready.
func Open(notify func()) (*Set, error) {
	fd, err := syscall.Kqueue()
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(fd)
	s := &Set{fd: fd, has: map[int]Interest{}, keys: map[int]uint64{}}
	return s, s.open(fd, "kqueue", notify)
}

// Add starts to watch a descriptor. It returns EEXIST if the descriptor is already
// watched.
func (s *Set) Add(fd int, key uint64, interest Interest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, ok := s.has[fd]; ok && s.watched(fd, old) {
		return syscall.EEXIST
	}
	if err := s.control(fd, none, interest); err != nil {
		return err
	}
	s.has[fd], s.keys[fd] = interest, key
	return nil
}

// Change changes the interest or the key of a descriptor. It returns ENOENT if the
// descriptor is not watched, or was closed since it was added.
func (s *Set) Change(fd int, key uint64, interest Interest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, ok := s.has[fd]
	if !ok || !s.watched(fd, old) {
		return syscall.ENOENT
	}
	if err := s.control(fd, old, interest); err != nil {
		return err
	}
	s.has[fd], s.keys[fd] = interest, key
	return nil
}

// watched reports whether the kernel still watches a descriptor. The kernel forgets a
// descriptor that is closed. Its number may since refer to another file, which EV_ADD
// would watch instead.
func (s *Set) watched(fd int, interest Interest) bool {
	var asked [1]syscall.Kevent_t
	for _, f := range filters {
		state := f.state(interest)
		if state == 0 {
			continue
		}
		// Without EV_ADD, changing a filter that does not exist fails. This change has no
		// effect.
		syscall.SetKevent(&asked[0], fd, f.filter, state)
		if _, err := syscall.Kevent(s.fd, asked[:], nil, nil); err != nil {
			return false
		}
	}
	return true
}

// Remove stops watching a descriptor, or forgets one that was closed.
func (s *Set) Remove(fd int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// The kernel has no record of a descriptor that was closed.
	_ = s.control(fd, s.has[fd], none)
	delete(s.has, fd)
	delete(s.keys, fd)
}

// none is the interest in a descriptor that is not in the set.
const none Interest = 1 << 7

type filter struct {
	interest Interest
	filter   int
	flags    int
}

// state returns the state of the filter for an interest. It returns EV_ENABLE if the
// filter reports for the interest. It returns EV_DISABLE if the filter only keeps the
// kernel's record of a descriptor that is watched for Err alone or for nothing. It
// returns 0 if the filter is not needed.
func (f filter) state(interest Interest) int {
	switch {
	case interest == none:
		return 0
	case interest&f.interest != 0:
		return syscall.EV_ENABLE
	case f.interest == In && interest&(In|Out|Signal) == 0:
		return syscall.EV_DISABLE
	}
	return 0
}

var filters = []filter{
	{In, syscall.EVFILT_READ, 0},
	{Out, syscall.EVFILT_WRITE, 0},
	{Signal, syscall.EVFILT_READ, syscall.EV_CLEAR},
}

// control changes the interest in a descriptor from old to interest.
func (s *Set) control(fd int, old, interest Interest) error {
	if interest&Pri != 0 {
		return syscall.ENOTSUP
	}
	var changes [3]syscall.Kevent_t
	n := 0
	for _, f := range filters {
		flags := syscall.EV_DELETE
		if state := f.state(interest); state != 0 {
			flags = syscall.EV_ADD | state | f.flags
		} else if f.state(old) == 0 {
			continue
		}
		syscall.SetKevent(&changes[n], fd, f.filter, flags)
		n++
	}
	_, err := syscall.Kevent(s.fd, changes[:n], nil, nil)
	return err
}

// Ready appends the ready descriptors to buf, without waiting: all level-triggered
// descriptors that are ready, and all signals since the last call. In and Out of one
// descriptor are consecutive entries with the same key.
func (s *Set) Ready(buf []Ready) ([]Ready, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if want := 2 * len(s.has); len(s.events) < want || len(s.events) == 0 {
		s.events = make([]syscall.Kevent_t, max(want, 2*len(s.events), 16))
	}
	var now syscall.Timespec
	n, err := syscall.Kevent(s.fd, nil, s.events, &now)
	if errors.Is(err, syscall.EINTR) {
		return buf, nil
	}
	if err != nil {
		return buf, err
	}
	for i := range s.events[:n] {
		e := &s.events[i]
		key, ok := s.keys[int(e.Ident)]
		if !ok {
			continue
		}
		r := Ready{Key: key, What: In}
		if int(e.Filter) == syscall.EVFILT_WRITE {
			r.What = Out
		}
		if e.Flags&(syscall.EV_EOF|syscall.EV_ERROR) != 0 {
			r.What |= Err
		}
		buf = append(buf, r)
	}
	return buf, nil
}
