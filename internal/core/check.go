package core

import "github.com/go-zmq/go-zmq/internal/libzmq"

// check returns an error for a message that the socket cannot send, or must not pass to
// libzmq. If other messages of a batch are before it, they can be sent: check hides it and
// those behind it, and returns nil.
func (s *held) check(r *request) error {
	switch {
	case !s.typ.Checked() && !s.options.On(libzmq.OptConflate) && !s.udp:
		return nil
	case r.batch == nil:
		return s.checkMessage(r, r.parts == nil)
	}
	b := r.batch
	for i := range b.count {
		m := request{list: list{msgs: b.at(i)}}
		err := s.checkMessage(&m, m.msgs[0].Live())
		if err != nil && i == 0 {
			return err
		}
		if err != nil {
			b.count, b.hidden, b.refused = i, b.hidden+b.count-i, err
			break
		}
	}
	return nil
}

// checkMessage checks one message. addressed says that it may carry the routing id of a
// peer.
func (s *held) checkMessage(r *request, addressed bool) error {
	n := r.count()
	if err := s.checkPartCount(n, addressed); err != nil {
		return err
	}
	first := 0
	if r.lens != nil {
		first = max(0, n-2) // SendMore has checked the parts before
	}
	for i := first; i < n; i++ {
		if err := s.typ.CheckPart(r.part(i)); err != nil {
			return err
		}
	}
	switch {
	case !s.udp:
		return nil
	case s.typ != libzmq.Radio:
		return s.typ.CheckDatagram(r.part(0), r.part(n-1))
	case r.parts != nil: // without a group
		return s.typ.CheckDatagram(nil, r.part(n-1))
	}
	group, _ := r.msgs[0].Group()
	return s.typ.CheckDatagram([]byte(group), r.part(n-1))
}

func (s *shared) checkPartCount(parts int, addressed bool) error {
	return s.typ.CheckParts(parts, addressed, s.options.On(libzmq.OptConflate))
}
