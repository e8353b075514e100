package workload

import (
	"context"
	"errors"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

// A taker receives message i. The flags apply to each of its calls.
type taker interface {
	take(i int, flags ...zmq.Flag) error
}

// dontWait has the flags of a receive that does not wait. A slice that is created in each
// call would be allocated there.
var dontWait = []zmq.Flag{zmq.DontWait}

// polls reports whether the receivers wait with a Poller.
func (s Spec) polls() bool { return s.Mode == Poll || s.Mode == PollDrain }

// openPoller creates the Poller of a receiver.
func (p *party) openPoller() (err error) {
	if p.poller, err = poller.New(); err != nil {
		return err
	}
	return p.poller.Add(p.s, poller.In)
}

// all receives all messages of a run by t. Each receive waits for its message, or a Poller
// waits until messages are available.
func (p *party) all(t taker, messages int) error {
	if p.spec.polls() {
		return p.polling(t, messages)
	}
	for i := range messages {
		if err := t.take(i); err != nil {
			return err
		}
	}
	return nil
}

func (p *party) polling(t taker, messages int) error {
	for i := 0; i < messages; {
		if _, err := p.poller.Poll(-1); err != nil {
			return err
		}
		for ; i < messages; i++ {
			err := t.take(i, dontWait...)
			if errors.Is(err, zmq.ErrAgain) {
				break
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// polled implements the mode Poll. A Poller waits until a message is available, and a
// batch receives the available messages.
type polled struct{ *batched }

func (p polled) receive(messages int) error {
	for i := 0; i < messages; {
		if _, err := p.poller.Poll(-1); err != nil {
			return err
		}
		n, err := p.s.RecvBatch(context.Background(), p.incoming, zmq.DontWait)
		if errors.Is(err, zmq.ErrAgain) {
			continue
		}
		if err == nil {
			err = p.lookAt(i, n, messages)
		}
		if err != nil {
			return err
		}
		i += n
	}
	return nil
}
