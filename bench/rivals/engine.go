package rivals

import (
	"bytes"
	"errors"
	"sync/atomic"
	"time"

	"github.com/go-zmq/go-zmq/bench/workload"
)

// engine is the workload.Engine for the sockets of a rival. It has the same gate, clock and
// loops as the engine for go-zmq.
type engine struct {
	sockets
	spec    workload.Spec
	out     []byte
	start   chan int // the gate: the number of messages
	done    chan struct{}
	failure atomic.Pointer[error] // the first
	begin   time.Time
	samples []time.Duration // of each round trip; nil without Spec.Latency
}

func newEngine(spec workload.Spec, s sockets) *engine {
	e := &engine{
		sockets: s, spec: spec, out: workload.Payload(spec.Size),
		start: make(chan int, 1), done: make(chan struct{}, 1),
	}
	if spec.Latency {
		e.samples = make([]time.Duration, spec.Sent())
	}
	go e.sending()
	return e
}

// returns reports whether messages make round trips.
func returns(p workload.Pattern) bool {
	return p == workload.DealerDealer || p == workload.DealerRouter || p == workload.ReqRep
}

// Ready exchanges messages in each direction that the pattern uses.
func (e *engine) Ready() error {
	switch {
	case e.spec.Pattern == workload.PubSub:
		return e.greetSubscriber()
	case e.spec.Pattern == workload.RouterRouter:
		return e.greetRouters()
	case returns(e.spec.Pattern):
		return errors.Join(e.near.send(nil, e.out), e.answer(), second(e.near.recv()))
	}
	return errors.Join(e.near.send(nil, e.out), second(e.far.recv()))
}

// second returns the error of recv.
func second(_, _ []byte, err error) error { return err }

// greetRouters exchanges messages between two ROUTERs. With probes, the far end learns the
// routing id of the near end from an empty message. Without probes, the near end sends
// first.
func (e *engine) greetRouters() error {
	if !e.probes {
		if err := errors.Join(e.near.send(farID, e.out), second(e.far.recv())); err != nil {
			return err
		}
	} else if err := second(e.far.recv()); err != nil {
		return err
	}
	return errors.Join(
		e.far.send(nearID, e.out), second(e.near.recv()),
		e.near.send(farID, e.out), second(e.far.recv()))
}

// greetSubscriber publishes until a message arrives, because a PUB drops messages until it
// has the subscription. Another message marks the end of the greetings.
func (e *engine) greetSubscriber() error {
	arrived, published := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-arrived:
				published <- e.near.send(nil, []byte("last greeting"))
				return
			case <-time.After(time.Millisecond):
				if err := e.near.send(nil, []byte("greeting")); err != nil {
					published <- err
					return
				}
			}
		}
	}()
	_, p, err := e.far.recv()
	close(arrived)
	if err := errors.Join(err, <-published); err != nil {
		return err
	}
	for err == nil && !bytes.Equal(p, []byte("last greeting")) {
		_, p, err = e.far.recv()
	}
	return err
}

// Run starts and stops the clock, and receives.
func (e *engine) Run(messages int) (elapsed, cpu time.Duration, err error) {
	cpuBefore := workload.ProcessTime()
	e.begin = time.Now()
	e.start <- messages
	switch {
	case returns(e.spec.Pattern):
		err = e.ask(messages)
	case e.spec.Mode == Poll || e.spec.Mode == Reactor:
		err = e.polling(messages)
	default:
		err = e.receive(messages)
	}
	elapsed, cpu = time.Since(e.begin), workload.ProcessTime()-cpuBefore
	e.fail(err)
	<-e.done
	if failure := e.failure.Load(); failure != nil {
		return 0, 0, *failure
	}
	return elapsed, cpu, nil
}

// Conclude checks that the next message is the one that follows a run.
func (e *engine) Conclude() error {
	workload.StampEnd(e.out)
	if err := e.near.send(e.to(), e.out); err != nil {
		return err
	}
	end := e.far
	if returns(e.spec.Pattern) {
		if err := e.answer(); err != nil {
			return err
		}
		end = e.near
	}
	_, p, err := end.recv()
	if err != nil {
		return err
	}
	return workload.CheckEnd(e.spec.Size, p)
}

// sending runs on the goroutine of the sender until Close closes the gate.
func (e *engine) sending() {
	send := e.send
	if returns(e.spec.Pattern) {
		send = e.echo
	}
	for messages := range e.start {
		e.fail(send(messages))
		e.done <- struct{}{}
	}
}

// fail records the first error, which is the error of the run, and interrupts the other
// side.
func (e *engine) fail(err error) {
	if err == nil {
		return
	}
	first := err // allocated on this path only
	if e.failure.CompareAndSwap(nil, &first) {
		e.Stop()
	}
}

func (e *engine) Stop() {
	if e.stop != nil {
		e.stop()
	}
}

func (e *engine) Close() error {
	close(e.start)
	return e.sockets.close()
}

// to returns the routing id that the near end sends to.
func (e *engine) to() []byte {
	if e.spec.Pattern == workload.RouterRouter {
		return farID
	}
	return nil
}

func (e *engine) send(messages int) error {
	to := e.to()
	for i := range messages {
		workload.Stamp(i, e.out)
		if err := e.near.send(to, e.out); err != nil {
			return err
		}
	}
	return nil
}

// check checks message i.
func (e *engine) check(i int, from, p []byte) error {
	if e.spec.Pattern == workload.RouterRouter && len(from) != len(nearID) {
		return workload.ErrIntegrity
	}
	return workload.Check(i, e.spec.Size, p)
}

func (e *engine) receive(messages int) error {
	for i := range messages {
		from, p, err := e.far.recv()
		if err == nil {
			err = e.check(i, from, p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *engine) polling(messages int) error {
	far, i := e.far.(poller), 0
	return far.poll(func() (enough bool, err error) {
		for ; i < messages; i++ {
			from, p, ok, err := far.try()
			if err == nil && !ok {
				return false, nil
			}
			if err == nil {
				err = e.check(i, from, p)
			}
			if err != nil {
				return false, err
			}
		}
		return true, nil
	})
}

// echo is the server side of a round trip.
func (e *engine) echo(messages int) error {
	for range messages {
		if err := e.answer(); err != nil {
			return err
		}
	}
	return nil
}

// answer receives a message and sends it back.
func (e *engine) answer() error {
	from, p, err := e.far.recv()
	if err == nil {
		err = e.far.send(from, p)
	}
	return err
}

// ask is the client side of a round trip, which is timed. It keeps as many requests
// outstanding as the window allows.
func (e *engine) ask(messages int) error {
	sent := 0
	for ; sent < min(messages, max(e.spec.Window, 1)); sent++ {
		if err := e.request(sent); err != nil {
			return err
		}
	}
	for i := range messages {
		_, p, err := e.near.recv()
		if err == nil {
			err = workload.Check(i, e.spec.Size, p)
		}
		if err != nil {
			return err
		}
		if e.samples != nil {
			e.samples[i] = time.Since(e.begin) - e.samples[i]
		}
		if sent < messages {
			if err := e.request(sent); err != nil {
				return err
			}
			sent++
		}
	}
	return nil
}

// request sends request i. Until the reply arrives, the sample holds the time of sending.
func (e *engine) request(i int) error {
	workload.Stamp(i, e.out)
	if e.samples != nil {
		e.samples[i] = time.Since(e.begin)
	}
	return e.near.send(nil, e.out)
}

// Latencies appends the durations of the round trips of the last Run.
func (e *engine) Latencies(to []time.Duration) []time.Duration { return append(to, e.samples...) }
