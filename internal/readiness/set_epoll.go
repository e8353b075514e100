//go:build linux && !zmq_poll_portable

package readiness

import (
	"sync/atomic"
	"syscall"
	"unsafe"
)

// SeesThefts reports whether a read that clears the signal of an eventfd triggers an
// edge, like the write that set the signal. A Set then reports both (fs/eventfd.c).
const SeesThefts = true

// Set is a set of descriptors to wait for. Its methods are safe for concurrent use,
// except that calls of Ready must not overlap and that only Close may be called after
// Close.
type Set struct {
	netpoll
	fd     int
	size   atomic.Int64
	events []syscall.EpollEvent
}

const edges = 1 << 31 // EPOLLET, which is negative in package syscall

// Open creates a Set. After Arm, a goroutine of the Set calls notify once when a
// descriptor becomes ready.
func Open(notify func()) (*Set, error) {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	s := &Set{fd: fd}
	return s, s.open(fd, "epoll", notify)
}

// Add starts to watch a descriptor. It returns EEXIST if the descriptor is already
// watched, and EPERM if it is always ready, for example a regular file.
func (s *Set) Add(fd int, key uint64, interest Interest) error {
	err := s.control(syscall.EPOLL_CTL_ADD, fd, key, interest)
	if err == nil {
		s.size.Add(1)
	}
	return err
}

// Change changes the interest or the key of a descriptor. It returns ENOENT if the
// descriptor is not watched, or was closed since it was added.
func (s *Set) Change(fd int, key uint64, interest Interest) error {
	return s.control(syscall.EPOLL_CTL_MOD, fd, key, interest)
}

// Remove stops watching a descriptor, or forgets one that was closed.
func (s *Set) Remove(fd int) {
	// The kernel has no record of a descriptor that was closed.
	_ = syscall.EpollCtl(s.fd, syscall.EPOLL_CTL_DEL, fd, nil)
	s.size.Add(-1)
}

func (s *Set) control(op, fd int, key uint64, interest Interest) error {
	// In is the edge of a write, Out is the edge of a read, see SeesThefts.
	e := syscall.EpollEvent{Events: syscall.EPOLLIN | syscall.EPOLLOUT | edges, Fd: int32(uint32(key)), Pad: int32(uint32(key >> 32))}
	switch interest {
	case Signal:
	case 0: // the kernel always reports errors, but only one with this flag
		e.Events = syscall.EPOLLONESHOT
	default:
		e.Events = 0
		for _, b := range bits {
			if interest&b.interest != 0 {
				e.Events |= b.asked
			}
		}
	}
	return syscall.EpollCtl(s.fd, op, fd, &e)
}

var bits = []struct {
	interest        Interest
	asked, reported uint32
}{
	{In, syscall.EPOLLIN, syscall.EPOLLIN},
	{Out, syscall.EPOLLOUT, syscall.EPOLLOUT},
	{Err, 0, syscall.EPOLLERR | syscall.EPOLLHUP}, // always reported
	{Pri, syscall.EPOLLPRI, syscall.EPOLLPRI},
}

// Ready appends the ready descriptors to buf, without waiting: all level-triggered
// descriptors that are ready, and all signals since the last call. A signal is reported
// as In or as Out, and the owner of the descriptor must know that it is a signal.
func (s *Set) Ready(buf []Ready) ([]Ready, error) {
	// The slice has room for all descriptors. Otherwise level-triggered descriptors would
	// keep their place in the kernel's queue, ahead of the descriptors after them.
	if want := int(s.size.Load()); len(s.events) < want || len(s.events) == 0 {
		s.events = make([]syscall.EpollEvent, max(want, 2*len(s.events), 16))
	}
	// With a timeout of 0 the call does not block and returns no EINTR. Not notifying the
	// scheduler saves a third of the time.
	n, _, errno := syscall.RawSyscall6(syscall.SYS_EPOLL_PWAIT, uintptr(s.fd), uintptr(unsafe.Pointer(&s.events[0])), uintptr(len(s.events)), 0, 0, 0)
	if errno != 0 {
		return buf, errno
	}
	for i := range s.events[:n] {
		e := &s.events[i]
		r := Ready{Key: uint64(uint32(e.Fd)) | uint64(uint32(e.Pad))<<32}
		for _, b := range bits {
			if e.Events&b.reported != 0 {
				r.What |= b.interest
			}
		}
		buf = append(buf, r)
	}
	return buf, nil
}
