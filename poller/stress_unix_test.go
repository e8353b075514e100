//go:build unix

package poller_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/poller"
)

// fdPair is a pair of connected descriptors with small buffers.
type fdPair struct {
	writers, readers *poller.Poller
	fds              [2]int
	n                atomic.Int64
}

func (q *fdPair) write(n int) {
	var buf [2048]byte
	for range n {
		if _, err := syscall.Write(q.fds[0], buf[:]); err != nil {
			return
		}
	}
}

func (q *fdPair) read(n int) {
	var buf [2048]byte
	for range n {
		if got, err := syscall.Read(q.fds[1], buf[:]); err != nil || got == 0 {
			return
		}
		q.n.Add(1)
	}
}

func (q *fdPair) disturb(r *rand.Rand) {
	p, fd, events := q.readers, uintptr(q.fds[1]), poller.In
	if r.IntN(2) == 0 {
		p, fd, events = q.writers, uintptr(q.fds[0]), poller.Out
	}
	if r.IntN(2) == 0 {
		_ = p.UpdateFD(fd, events)
		return
	}
	if p.RemoveFD(fd) == nil {
		for p.AddFD(fd, events) != nil {
			runtime.Gosched()
		}
	}
}

func (q *fdPair) state() string { return fmt.Sprintf("%d read", q.n.Load()) }

func (q *fdPair) received() int64 { return q.n.Load() }

func (q *fdPair) close() {
	_ = syscall.Close(q.fds[0])
	_ = syscall.Close(q.fds[1])
}

// The same number over 500 descriptors.
func TestStressDescriptors(t *testing.T) {
	const pairs = 250
	writers, readers := newPoller(t), newPoller(t)
	all, byFD := make([]pair, pairs), map[uintptr]pair{}
	for i := range all {
		q := &fdPair{writers: writers, readers: readers}
		fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		require.NoError(t, err)
		q.fds = fds
		for _, fd := range fds {
			require.NoError(t, syscall.SetNonblock(fd, true))
			require.NoError(t, syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_SNDBUF, 1))
		}
		require.NoError(t, writers.AddFD(uintptr(fds[0]), poller.Out))
		require.NoError(t, readers.AddFD(uintptr(fds[1]), poller.In))
		all[i], byFD[uintptr(fds[0])], byFD[uintptr(fds[1])] = q, q, q
	}
	of := func(e poller.Event) pair { return byFD[e.FD] }
	stress(t, writers, readers, all, of, of)
	for _, q := range all {
		q.close()
	}
}

// oneLifeOfFD is oneLife for a descriptor.
func oneLifeOfFD(p *poller.Poller, reported *sync.Map, told chan struct{}, patient func() error, r *rand.Rand) error {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	reported.Store(uintptr(fds[0]), told)
	err = p.AddFD(uintptr(fds[0]), poller.In)
	if err == nil {
		_, err = syscall.Write(fds[1], []byte("x"))
	}
	if err == nil && r.IntN(4) > 0 {
		err = patient()
	}
	reported.Delete(uintptr(fds[0]))
	return errors.Join(err, p.RemoveFD(uintptr(fds[0])), syscall.Close(fds[0]), syscall.Close(fds[1]))
}
