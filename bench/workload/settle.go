package workload

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/go-zmq/go-zmq/bench/cfloor"
	"github.com/go-zmq/go-zmq/zmq"
)

// settle locks the party's goroutine to a thread, and pins the thread to its processors,
// if the Spec says so. The same goroutine must call undo. If settle fails, the run fails.
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

// ioThreads returns the settings that pin libzmq's threads to processors.
func ioThreads(p Pin) (settings []zmq.ContextSetting) {
	for _, cpu := range p.IO {
		settings = append(settings, zmq.ThreadAffinityCPUAdd.To(cpu))
	}
	return settings
}

// patience is the time that a DISH waits for a greeting before the RADIO sends another.
const patience = 10 * time.Millisecond

// tuneIn sends greetings until every DISH has received one, because a RADIO does not
// report its members. The length of a greeting is its number, so each DISH recognizes the
// last one. The next message then belongs to a run.
func (b *binding) tuneIn() error {
	sent, heard := 0, make([]int, len(b.receivers)) // greetings sent; the last one received
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

// listen returns the length of a received greeting, or 0 if none arrived in time.
func (b *binding) listen(i int) (n int, err error) {
	p, err := b.receivers[i].s.RecvBytes(context.Background())
	if errors.Is(err, zmq.ErrAgain) {
		return 0, nil
	}
	return len(p), err
}
