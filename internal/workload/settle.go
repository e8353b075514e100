package workload

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq/cfloor"
	"github.com/go-zmq/go-zmq/zmq"
)

// settle puts the party's goroutine on a thread, and the thread on its processors, if
// the Spec says so. undo is called by the same goroutine. Where it fails, so does the
// run.
func (p *party) settle() (undo func()) {
	cpus := p.b.spec.pin().Receivers
	if p.sends {
		cpus = p.b.spec.pin().Senders
	}
	if len(cpus) == 0 {
		return func() {}
	}
	runtime.LockOSThread()
	unpin, err := cfloor.PinThread(cpus)
	p.b.fail(err)
	return func() {
		unpin()
		runtime.UnlockOSThread()
	}
}

// ioThreads puts libzmq's threads on processors.
func ioThreads(p Pin) (settings []zmq.ContextSetting) {
	for _, cpu := range p.IO {
		settings = append(settings, zmq.ThreadAffinityCPUAdd.To(cpu))
	}
	return settings
}

// patience is how long a DISH waits for a greeting, before the RADIO sends another.
const patience = 10 * time.Millisecond

// tuneIn sends greetings until every DISH has one: a RADIO cannot be asked who has
// joined. Each has its number in its length, so that all see when they have the last,
// and the next message is one that counts.
func (b *binding) tuneIn() error {
	sent, heard := 0, make([]int, len(b.receivers)) // greetings; the length of the last
	for _, r := range b.receivers {
		if err := r.s.Set(zmq.RecvTimeout.To(patience)); err != nil {
			return err
		}
	}
	for i := range b.receivers {
		for heard[i] == 0 {
			sent++
			if err := b.senders[0].s.SendGroup(context.Background(), group, make([]byte, sent)); err != nil {
				return err
			}
			n, err := b.listen(i)
			if err != nil {
				return err
			}
			heard[i] = n
		}
	}
	for i, r := range b.receivers {
		for heard[i] < sent {
			n, err := b.listen(i)
			if err != nil {
				return err
			}
			heard[i] = max(heard[i], n)
		}
		if err := r.s.Set(zmq.RecvTimeout.To(-1)); err != nil {
			return err
		}
	}
	return nil
}

// listen returns the length of a greeting, 0 if none came.
func (b *binding) listen(i int) (n int, err error) {
	p, err := b.receivers[i].s.RecvBytes(context.Background())
	if errors.Is(err, zmq.ErrAgain) {
		return 0, nil
	}
	return len(p), err
}
