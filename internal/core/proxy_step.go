package core

import (
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// proxyMost is the number of messages that a proxy moves in one direction before it tries
// the other one and lets other goroutines use the sockets.
const proxyMost = 256

// step moves the available messages in each direction. parked says that no direction can
// continue before it is woken.
func (p *Proxy) step() (moved, parked bool, err error) {
	p.moving.Lock()
	defer p.moving.Unlock()
	if p.halted.Load() {
		return false, false, nil
	}
	lockAll(p.sockets)
	defer unlockAll(p.sockets)
	if err := p.open(); err != nil {
		return false, false, err
	}
	parked = true
	starved := false
	for _, f := range p.flows {
		if f.waits() && (f.stop.dir == Send || !p.spin.Active()) {
			continue
		}
		n, err := p.move(f)
		if err != nil {
			return moved, false, err
		}
		moved = moved || n > 0
		p.got += uint64(n)
		switch {
		case f.stop.at == nil, f.stop.dir == Recv && n > 0:
			// It can continue, or probably can within the time that parking takes.
			parked = false
		case f.stop.dir == Recv:
			starved = true
		default:
			if err := f.park(); err != nil {
				return moved, false, p.ended(f.stop.at, err)
			}
		}
	}
	if moved {
		p.spin.Found()
		parked = parked && !starved // a starved flow looks again
	}
	if moved || !starved {
		return moved, parked, nil
	}
	got := p.got
	p.got = 0
	if p.spin.Again(SpinAdaptive, got) {
		return false, false, nil
	}
	return false, parked, p.parkStarved()
}

// open returns an error if a socket cannot be used any more. The sockets are locked.
func (p *Proxy) open() error {
	for _, s := range p.sockets {
		if s.state != stateOpen {
			return p.ended(s, s.state.err())
		}
	}
	return nil
}

// move moves messages in one direction and wakes the goroutines that can continue after
// it. The sockets are locked.
func (p *Proxy) move(f *flow) (moved int, err error) {
	f.leave()
	moved, f.stop, err = p.pump(f)
	if err != nil {
		return moved, err
	}
	f.src.touch()
	f.dst.touch()
	f.src.wakeOthers(Recv, moved > 0)
	f.dst.wakeOthers(Send, moved > 0)
	if p.capture != nil {
		p.capture.touch()
		p.capture.wakeOthers(Send, false)
	}
	return moved, nil
}

// parkStarved parks the flows whose sources had no messages. Nothing has moved since. But
// when another flow tried to send, it may have consumed the signal for one of them, so the
// events are read again (R5).
func (p *Proxy) parkStarved() error {
	for _, f := range p.flows {
		if f.list == nil && !f.poll && f.stop.at != nil {
			if err := f.park(); err != nil {
				return p.ended(f.stop.at, err)
			}
		}
	}
	for _, s := range p.sockets {
		if s.waiting() > 0 {
			s.notify(s.events())
		}
	}
	return nil
}

// stop is the place where a flow stopped. at is nil if the flow can continue.
type stop struct {
	at   *Socket
	dir  Direction
	poll bool // no event says when it can continue
}

// park makes the flow wait until it is woken. The socket's mutex is held. Under the same
// hold, the flow's attempt has failed for certain (R1).
func (f *flow) park() error {
	st := f.stop
	if f.poll = st.poll; f.poll {
		return nil
	}
	s := st.at
	if err := s.watchIfCan(); err != nil {
		return err
	}
	f.list = s.listFor(st.dir)
	f.list.push(f.w)
	f.poll = s.mustRetry(f.list)
	return nil
}

// waits reports whether the flow is in a list and has not been woken yet.
func (f *flow) waits() bool { return f.list != nil && f.w.list != nil && !f.poll }

// leave removes the flow from the list in which it waits. The mutex of that list's socket
// is held.
func (f *flow) leave() {
	f.poll = false
	if f.list == nil {
		return
	}
	if f.w.list != nil {
		f.list.remove(f.w)
	} else {
		f.list.woken--
		if !f.token {
			<-f.w.ready
		}
	}
	f.list, f.token = nil, false
}

// wakeOthers wakes the goroutines that wait behind a flow in its own direction (R2). On a
// REQ or REP, a message makes the other direction possible without a command. s.mu is
// held.
func (s *Socket) wakeOthers(dir Direction, moved bool) {
	if s.lists[dir].n > 0 || s.waiting() > 0 && (!seesThefts || moved && lockStep(s.typ)) {
		s.notify(s.events())
	}
}

// leave makes all flows stop waiting and passes their wake-ups on (R4).
func (p *Proxy) leave() {
	lockAll(p.sockets)
	defer unlockAll(p.sockets)
	for _, f := range p.flows {
		f.leave()
	}
	for _, s := range p.sockets {
		if s.state == stateOpen && s.waiting() > 0 {
			s.notify(s.events())
		}
	}
}

// pump moves messages in one direction. The sockets are locked.
func (p *Proxy) pump(f *flow) (moved int, st stop, err error) {
	for _, s := range []*Socket{f.dst, p.capture} {
		if s != nil && s.udp {
			return 0, stop{}, p.ended(s, errProxyUDP)
		}
	}
	if f.owing > 0 {
		if st, err = p.payCapture(f); err != nil || st.at != nil || f.owing > 0 {
			return 0, st, err
		}
	}
	if n := f.dst.subs; n != nil && n.pub {
		f.dst.takeSubscriptions() // as before any other send
	}
	if f.dst.typ == libzmq.Stream {
		libzmq.Events(f.dst.handle) // as before any other send
	}
	flow := libzmq.Flow{How: int32(f.dst.howNow()), HowSource: int32(f.src.flags)}
	var capture libzmq.Socket
	if p.capture != nil {
		capture, flow.HowCapture = p.capture.handle, int32(p.capture.howNow())
	}
	if f.dst.typ == libzmq.XSub {
		flow.Longest = 1 + MaxTopic
	}
	st, err = p.pumpFlow(f, &flow, capture)
	f.count(&flow)
	return int(flow.Messages + flow.Dropped), st, err
}

// pumpFlow calls the shim until the flow stops or has moved enough messages.
func (p *Proxy) pumpFlow(f *flow, flow *libzmq.Flow, capture libzmq.Socket) (stop, error) {
	in := &f.src.in
	for {
		most := proxyMost - int(flow.Messages+flow.Dropped)
		if most <= 0 {
			return stop{}, nil
		}
		msgs, held := in.msgs, 0
		switch {
		case in.pending() == 0:
			in.empty()
		case in.more: // a caller is receiving a message part by part
			return stop{at: f.src, dir: Recv, poll: true}, nil
		default:
			most, held = 1, in.rest()
			msgs = in.msgs[in.head:][:held]
		}
		flow.Most, flow.Have = int32(most), int32(held)
		end := libzmq.Forward(f.src.handle, f.dst.handle, capture, msgs, f.owed, flow)
		switch {
		case held == 0: // put back the message that the flow has, if any
			in.head, in.n = 0, int(flow.Have)
			if in.n > 0 {
				f.src.touchAll() // no descriptor reports it
			}
		case flow.Have == 0:
			in.head += held
		}
		f.owing = int(flow.Owed)
		switch end {
		case libzmq.FlowMost:
		case libzmq.FlowRoom:
			if rc := f.makeRoom(capture != nil); rc < 0 {
				return stop{}, p.fail(f.src, rc)
			}
		default:
			return p.stopOf(f, end, flow)
		}
	}
}

// stopOf converts the shim's reason for stopping a flow.
func (p *Proxy) stopOf(f *flow, end libzmq.FlowEnd, flow *libzmq.Flow) (stop, error) {
	switch end {
	case libzmq.FlowEmpty:
		return f.src.stopped(Recv, flow.Events), nil
	case libzmq.FlowFull:
		return f.dst.stopped(Send, flow.Events), nil
	case libzmq.FlowCaptureFull:
		return p.capture.stopped(Send, flow.Events), nil
	case libzmq.FlowSource:
		return stop{}, p.fail(f.src, int(flow.RC))
	case libzmq.FlowDestination:
		return stop{}, p.fail(f.dst, int(flow.RC))
	}
	return stop{}, p.fail(p.capture, int(flow.RC)) // libzmq.FlowCapture
}

// stopped returns the place where a flow stopped. It returns the zero stop if the events
// say that the flow can continue.
func (s *Socket) stopped(dir Direction, events int32) stop {
	if s.mistaken(dir, int(events)) {
		return stop{}
	}
	return stop{at: s, dir: dir}
}

// howNow returns the flags for the shims when a message from another socket is sent.
func (s *Socket) howNow() int {
	if s.ctx.loses.Load() {
		return s.flags | libzmq.Copy
	}
	return s.flags
}

// empty releases the parts that were handed out. Nothing is pending.
func (in *incoming) empty() {
	closeHeld(in.msgs[:in.n])
	in.head, in.n = 0, 0
}

// makeRoom receives the rest of a message that begins at the front of the source's
// messages, and makes room for a copy of it.
func (f *flow) makeRoom(copies bool) int {
	in := &f.src.in
	for in.n == len(in.msgs) && in.msgs[in.n-1].More() {
		rc := grow(f.src.handle, &in.msgs, f.src.flags)
		if rc < 0 {
			in.n = 0
			return rc
		}
		in.n += rc
	}
	if n := in.rest(); copies && len(f.owed) < n {
		f.owed = make([]libzmq.Msg, max(n, len(in.msgs)))
	}
	return 0
}

// payCapture sends the copy for which the capture socket had no room.
func (p *Proxy) payCapture(f *flow) (stop, error) {
	c := p.capture
	rc, events := libzmq.SendMsgs(c.handle, f.owed[:f.owing], c.howNow())
	if rc == again {
		return c.stopped(Send, int32(events)), nil
	}
	closeHeld(f.owed[:f.owing])
	f.owing = 0
	if rc < 0 && rc != -libzmq.ELOST && rc != -int(syscall.EHOSTUNREACH) {
		return stop{}, p.fail(c, rc)
	}
	return stop{}, nil
}

// settle makes a last attempt to send copies for which the capture socket had no room,
// and releases them.
func (p *Proxy) settle() {
	lockAll(p.sockets)
	defer unlockAll(p.sockets)
	for _, f := range p.flows {
		if f.owing == 0 {
			continue
		}
		if p.capture.state == stateOpen {
			// The proxy has ended, and no caller needs the result.
			_, _ = p.payCapture(f)
		}
		closeHeld(f.owed[:f.owing])
		f.owing = 0
	}
}

// fail returns the error of a socket, and stops the socket if its context was shut down.
func (p *Proxy) fail(s *Socket, rc int) error {
	if rc == -libzmq.ETERM {
		s.stop(stateTerminated)
	}
	return p.ended(s, errorOf(rc))
}

func (f *flow) count(flow *libzmq.Flow) {
	f.dst.endedPeers(flow.Ended)
	f.sent.Messages += uint64(flow.Messages)
	f.sent.Bytes += uint64(flow.Bytes)
	f.dropped.Messages += uint64(flow.Dropped)
	f.dropped.Bytes += uint64(flow.DroppedBytes)
	for _, t := range []*Traffic{&f.src.stats.Received, &f.dst.stats.Sent} {
		t.Messages += uint64(flow.Messages)
		t.Parts += uint64(flow.Parts)
		t.Bytes += uint64(flow.Bytes)
	}
}
