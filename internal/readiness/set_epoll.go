//go:build linux && !zmq_poll_portable

package readiness

import (
	"sync/atomic"
	"syscall"
	"unsafe"
)

// SeesThefts says that a read that uses up the signal of an eventfd makes an edge, as the write
// that made the signal did, so that a Set reports both (fs/eventfd.c).
const SeesThefts = true

// Set is a set of descriptors that are waited for. Its methods may be called by any
// goroutine, but Ready by one at a time, and none but Close after Close.
type Set struct {
	netpoll
	fd     int
	size   atomic.Int64
	events []syscall.EpollEvent
}

const edges = 1 << 31 // EPOLLET, which package syscall has with a sign

// Open makes a Set. After Arm, notify is called once, by a goroutine of the Set, when
// one of its descriptors becomes ready.
func Open(notify func()) (*Set, error) {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	// An epoll descriptor never blocks, but only with the flag does Go wait for it in
	// its netpoller.
	if err := syscall.SetNonblock(fd, true); err != nil {
		syscall.Close(fd)
		return nil, err
	}
	s := &Set{fd: fd}
	if err := s.open(fd, "epoll", notify); err != nil {
		return nil, err
	}
	return s, nil
}

// Add begins to watch a descriptor. EEXIST if it is watched already, EPERM if it is of
// a kind that is always ready, such as a file's.
func (s *Set) Add(fd int, key uint64, interest Interest) error {
	err := s.control(syscall.EPOLL_CTL_ADD, fd, key, interest)
	if err == nil {
		s.size.Add(1)
	}
	return err
}

// Change watches a descriptor for something else, or under another key. ENOENT if it
// is not watched, or was closed since.
func (s *Set) Change(fd int, key uint64, interest Interest) error {
	return s.control(syscall.EPOLL_CTL_MOD, fd, key, interest)
}

// Remove ends the watching of a descriptor, or forgets one that was closed.
func (s *Set) Remove(fd int) {
	// Of one that was closed the kernel has no record any more.
	_ = syscall.EpollCtl(s.fd, syscall.EPOLL_CTL_DEL, fd, nil)
	s.size.Add(-1)
}

func (s *Set) control(op, fd int, key uint64, interest Interest) error {
	// In is the edge of a write, Out that of a read: see SeesThefts.
	e := syscall.EpollEvent{Events: syscall.EPOLLIN | syscall.EPOLLOUT | edges, Fd: int32(uint32(key)), Pad: int32(uint32(key >> 32))}
	switch interest {
	case Signal:
	case 0: // the kernel reports errors even when not asked, and with this flag only one
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

// Ready appends what is ready to buf, without waiting: all descriptors whose level
// says so, and all signals since the last call. A signal is told by In alone or by
// Out; it is the descriptor's owner who knows that it is one.
func (s *Set) Ready(buf []Ready) ([]Ready, error) {
	// Room for all of them: a descriptor whose level is reported would otherwise
	// keep its place in the kernel's queue before those that come after it.
	if want := int(s.size.Load()); len(s.events) < want || len(s.events) == 0 {
		s.events = make([]syscall.EpollEvent, max(want, 2*len(s.events), 16))
	}
	n, err := wait(s.fd, s.events)
	if err != nil {
		return buf, err
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

// wait is epoll_wait with a timeout of 0. It does not block, so the scheduler is not
// told of it: that is a third of its time.
func wait(fd int, events []syscall.EpollEvent) (int, error) {
	for {
		n, _, errno := syscall.RawSyscall6(syscall.SYS_EPOLL_PWAIT, uintptr(fd), uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)), 0, 0, 0)
		switch errno {
		case 0:
			return int(n), nil
		case syscall.EINTR:
		default:
			return 0, errno
		}
	}
}
