package zmq

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/fault"
	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/rules"
)

// proxyFlow is one direction of a proxy. A goroutine receives a batch, sends it, and sends
// the copies, with the same operations as any other user of the sockets.
type proxyFlow struct {
	src, dst *core.Socket
	batch    core.Batch
	copies   core.Batch // the copy of the last message, until the capture socket has room
	dropped  atomic.Uint64
}

// proxyMost is the number of messages that a flow moves at once, unless they are large.
const proxyMost = 64

var proxyRoles = [...]string{"frontend", "backend", "capture"}

// addFlow adds the direction from src to dst, if the types of the sockets have it.
func (p *SteerableProxy) addFlow(src, dst *core.Socket) {
	if !rules.Type(src.Type()).Receives() || !rules.Type(dst.Type()).Sends() {
		return
	}
	p.flows = append(p.flows, &proxyFlow{src: src, dst: dst})
}

// failed returns the error that a socket of the proxy caused.
func (p *SteerableProxy) failed(s *core.Socket, err error) error {
	e := &Error{Op: "proxy"}
	e.Errno, e.Detail, e.cause[0] = fault.Explain(err)
	e.Detail = proxyRoles[slices.Index(p.sockets, s)] + ": " + cmp.Or(e.Detail, errnoText(e.Errno))
	return e
}

// change changes the state and waits until the flows that ran before have stopped.
func (p *SteerableProxy) change(set func()) error {
	if err := p.usable(); err != nil {
		return err
	}
	p.mu.Lock()
	if p.terminated {
		p.mu.Unlock()
		return errProxyOver
	}
	set()
	stop, stopped := p.stop, p.stopped
	p.mu.Unlock()
	if stop != nil {
		stop()
		<-stopped
	}
	return nil
}

var errHalfRead = fault.New(libzmq.EFSM, "a message was received only in part; receive the rest of it first")

// run runs the flows until ctx is done, the proxy is terminated or a socket fails. Each
// change of the state stops the flows, and they start again.
func (p *SteerableProxy) run(ctx context.Context) error {
	for {
		inner, stop := context.WithCancel(ctx)
		stopped := make(chan struct{})
		p.mu.Lock()
		p.stop, p.stopped = stop, stopped
		terminated, flows := p.terminated, p.flows
		if p.paused {
			flows = nil
		}
		p.mu.Unlock()
		err := wrapError("proxy", "", "", ctx.Err())
		if err == nil && !terminated {
			err = p.forward(inner, stop, flows)
		}
		stop()
		close(stopped)
		switch {
		case terminated:
			return nil
		case err != nil:
			return err
		}
	}
}

// forward runs flows, if there are any, until ctx is done or something fails.
func (p *SteerableProxy) forward(ctx context.Context, stop func(), flows []*proxyFlow) error {
	var ended [len(proxyRoles)]<-chan struct{}
	for i, s := range p.sockets {
		if err := s.Err(); err != nil {
			return p.failed(s, err)
		}
		ended[i] = s.Done()
	}
	errs, running := make(chan error, len(flows)), len(flows)
	for _, f := range flows {
		go func() { errs <- p.move(ctx, f) }()
	}
	var err error
	select {
	case err = <-errs:
		running--
	case <-ctx.Done():
	case <-ended[0]:
	case <-ended[1]:
	case <-ended[2]:
	}
	stop()
	for range running {
		err = cmp.Or(err, <-errs)
	}
	return err
}

// move moves messages in one direction. It returns nil when ctx is done. With a capture
// socket, it moves them one by one, because the copy of each has to follow it at once.
func (p *SteerableProxy) move(ctx context.Context, f *proxyFlow) error {
	defer p.giveBack(f)
	most := proxyMost
	if p.capture != nil {
		most = 1
	}
	f.batch.InitForward(most)
	f.copies.InitForward(most)
	for {
		at, err := p.capture, sendAll(ctx, p.capture, &f.copies, nil)
		if err == nil {
			at = f.src
			_, err = f.src.RecvBatch(ctx, &f.batch, false)
		}
		if err == nil && p.capture != nil {
			at, err = p.capture, f.copies.Clone(&f.batch)
		}
		if err == nil {
			at, err = f.dst, sendAll(ctx, f.dst, &f.batch, &f.dropped)
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return p.failed(at, err)
		}
	}
}

// sendAll sends the messages of a batch. It drops and counts those that cannot be
// delivered, because their peer has left or does not exist, or because they are invalid,
// and counts those that DropCounted drops. s may be nil if the batch is empty.
func sendAll(ctx context.Context, s *core.Socket, b *core.Batch, dropped *atomic.Uint64) error {
	for b.Len() > 0 {
		count := b.Len()
		sent, err := s.SendBatch(ctx, b, false)
		if err != nil && undeliverable(err) {
			b.Skip(1)
			err = nil
		}
		if dropped != nil {
			dropped.Add(uint64(count - b.Len() - sent))
		}
		if err != nil && !errors.Is(err, fault.ErrLost) { // lost messages were removed
			return err
		}
	}
	return nil
}

// undeliverable reports whether an error concerns only the first message.
func undeliverable(err error) bool {
	return errors.Is(err, syscall.EHOSTUNREACH) || errors.As(err, new(*fault.Error))
}

// giveBack returns the messages that were not sent to their source. If the copy of the
// last one waits for room, giveBack makes an attempt to send it, and otherwise keeps it
// for the end of a pause.
func (p *SteerableProxy) giveBack(f *proxyFlow) {
	switch {
	case f.batch.Len() > 0:
		f.copies.Reset()
		f.src.PutBack(f.batch.Parts())
		f.batch.Reset()
	case f.copies.Len() > 0:
		// The flow has ended, and no caller needs the result.
		_, _ = p.capture.SendBatch(context.Background(), &f.copies, true)
	}
}
