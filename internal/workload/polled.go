package workload

import (
	"context"
	"errors"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

// polled implements the modes Poll and PollDrain. A Poller waits until a message is
// available. A batch receives the available messages, or a call receives each of them.
type polled struct {
	*batched
	poller *poller.Poller
}

func newPolled(party *party) (way, error) {
	p, err := poller.New()
	if err == nil {
		err = p.Add(party.s, poller.In)
	}
	if err != nil {
		return nil, err
	}
	return &polled{newBatched(party), p}, nil
}

func (p *polled) receive(messages int) error {
	for i := 0; i < messages; {
		if _, err := p.poller.Poll(-1); err != nil {
			return err
		}
		if p.spec.Mode == PollDrain {
			next, err := p.drain(i, messages)
			if err != nil {
				return err
			}
			i = next
			continue
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

func (p *polled) close() error { return errors.Join(p.poller.Close(), p.batched.close()) }
