//go:build zmq_poll_portable || !(linux || darwin || dragonfly || freebsd || netbsd || openbsd)

package readiness

import (
	"sync"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// SeesThefts is false: clearing a signal is not detected.
const SeesThefts = false

// Set is a set of descriptors to wait for. Its methods are safe for concurrent use,
// except that calls of Ready must not overlap and that only Close may be called after
// Close.
type Set struct {
	notify func()
	arm    chan struct{} // starts a wait; closed by Close
	done   chan struct{} // closed when the waiting goroutine has returned
	start  sync.Once
	waker  waker // ends a wait; the first item

	mu      sync.Mutex
	items   []libzmq.PollItem
	keys    []uint64    // keys of the items
	files   []file      // files of the items' descriptors
	index   map[int]int // descriptor to index in items
	paused  map[int]file
	look    []libzmq.PollItem
	waiting bool // a wait is in progress, on a copy of the items
	poked   bool
	ended   bool
}

// Open creates a Set. After Arm, a goroutine of the Set calls notify once when a
// descriptor becomes ready.
func Open(notify func()) (*Set, error) {
	if err := libzmq.Load(); err != nil {
		return nil, err
	}
	w, fd, err := openWaker()
	if err != nil {
		return nil, err
	}
	return &Set{
		notify: notify, arm: make(chan struct{}, 1), done: make(chan struct{}), waker: w,
		items: []libzmq.PollItem{pollItem(fd, In)}, keys: []uint64{0}, files: []file{{}},
		index: map[int]int{}, paused: map[int]file{},
	}, nil
}

// Add starts to watch a descriptor. It returns EEXIST if the descriptor is already
// watched, and EPERM if it is always ready, for example a regular file.
func (s *Set) Add(fd int, key uint64, interest Interest) error {
	if err := possible(interest); err != nil {
		return err
	}
	f, err := fileOf(fd)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, watched := s.index[fd]
	if _, paused := s.paused[fd]; watched || paused {
		return syscall.EEXIST
	}
	s.watch(fd, f, key, interest)
	return nil
}

// watch adds a descriptor to the items. If the interest is 0, it adds the descriptor to
// the paused ones instead, because zmq_poll always reports errors. The caller holds s.mu.
func (s *Set) watch(fd int, f file, key uint64, interest Interest) {
	if interest == 0 {
		s.paused[fd] = f
		return
	}
	s.index[fd] = len(s.items)
	s.items = append(s.items, pollItem(fd, interest))
	s.keys, s.files = append(s.keys, key), append(s.files, f)
	s.poke()
}

// Change changes the interest or the key of a descriptor. It returns ENOENT if the
// descriptor is not watched, or was closed since it was added.
func (s *Set) Change(fd int, key uint64, interest Interest) error {
	if err := possible(interest); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i, ok := s.index[fd]
	f, paused := s.paused[fd]
	if ok {
		f = s.files[i]
	} else if !paused {
		return syscall.ENOENT
	}
	if now, err := fileOf(fd); err != nil || now != f {
		s.drop(fd)
		return syscall.ENOENT
	}
	if ok && interest != 0 {
		s.items[i], s.keys[i] = pollItem(fd, interest), key
		s.poke()
		return nil
	}
	s.drop(fd)
	s.watch(fd, f, key, interest)
	return nil
}

// Remove stops watching a descriptor, or forgets one that was closed.
func (s *Set) Remove(fd int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(fd)
}

// drop removes a descriptor. The caller holds s.mu.
func (s *Set) drop(fd int) {
	delete(s.paused, fd)
	if i, ok := s.index[fd]; ok {
		s.remove(i)
	}
}

func (s *Set) remove(i int) {
	last := len(s.items) - 1
	delete(s.index, int(s.items[i].FD))
	if i != last {
		s.items[i], s.keys[i], s.files[i] = s.items[last], s.keys[last], s.files[last]
		s.index[int(s.items[i].FD)] = i
	}
	s.items, s.keys, s.files = s.items[:last], s.keys[:last], s.files[:last]
	s.poke()
}

// closed reports whether an item's descriptor was closed since it was added. Its number
// may since refer to another file.
func (s *Set) closed(i int) bool {
	f, err := fileOf(int(s.items[i].FD))
	return err != nil || f != s.files[i]
}

var bits = []struct {
	interest Interest
	bit      int16
}{
	{In, libzmq.PollIn}, {Out, libzmq.PollOut}, {Err, libzmq.PollErr}, {Pri, libzmq.PollPri}, {Signal, libzmq.PollIn},
}

func asked(interest Interest) (events int16) {
	for _, b := range bits {
		if interest&b.interest != 0 {
			events |= b.bit
		}
	}
	return events
}

// poke restarts a wait in progress with the current items. The caller holds s.mu.
func (s *Set) poke() {
	if s.waiting && !s.poked {
		s.poked = true
		s.waker.wake()
	}
}

// Ready appends the ready descriptors to buf, without waiting. A signal is also reported
// each time, until it is cleared.
func (s *Set) Ready(buf []Ready) ([]Ready, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.items) == 1 {
		return buf, nil
	}
	items := s.items[1:]
	if rc := libzmq.PollFDs(items, false); rc <= 0 {
		return buf, errorOf(rc)
	}
	for i := len(items) - 1; i >= 0; i-- { // in reverse order, because of remove
		item := items[i]
		if item.Revents == 0 {
			continue
		}
		if s.closed(i + 1) {
			s.remove(i + 1) // removed, like from a kernel's set
			continue
		}
		r := Ready{Key: s.keys[i+1]}
		for _, b := range bits[:4] {
			if item.Revents&b.bit != 0 {
				r.What |= b.interest
			}
		}
		buf = append(buf, r)
	}
	return buf, nil
}

func errorOf(rc int) error {
	if rc < 0 {
		return syscall.Errno(-rc)
	}
	return nil
}

// Arm makes the next descriptor that is ready call notify. It does not wait.
func (s *Set) Arm() {
	s.start.Do(func() { go s.wait() })
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.waiting && !s.ended {
		s.waiting = true
		s.arm <- struct{}{}
	}
}

// wait runs on the goroutine that calls notify. It occupies a thread while it waits.
func (s *Set) wait() {
	defer close(s.done)
	for range s.arm {
		for poked := true; poked && s.copyItems(); {
			rc := libzmq.PollFDs(s.look, true)
			poked = rc > 0 && s.look[0].Revents != 0 && s.unpoke() && rc == 1 // nothing else
		}
		s.mu.Lock()
		s.waiting = false
		s.mu.Unlock()
		s.notify()
	}
}

// copyItems copies the items to look, unless the set was closed.
func (s *Set) copyItems() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.look = append(s.look[:0], s.items...)
	return !s.ended
}

// unpoke makes the waker unreadable.
func (s *Set) unpoke() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.poked = false
	return s.waker.clear()
}

// Close frees the set. It waits for a running call of notify to return.
func (s *Set) Close() error {
	s.mu.Lock()
	s.ended = true
	s.poke()
	close(s.arm)
	s.mu.Unlock()
	// If no goroutine was started, there is nothing to wait for.
	s.start.Do(func() { close(s.done) })
	<-s.done
	return s.waker.close()
}
