package zmq

import (
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/rules"
)

const oneConflated = "a SUB with Conflate accepts only one topic, because libzmq would send only the last subscription to the publisher; use one socket for each topic"

// setTopic subscribes or unsubscribes. It counts the subscriptions of a SUB by topic,
// because a topic must be unsubscribed as often as it was subscribed.
func setTopic(s *Socket, o *optionSpec, v optionValue) error {
	topic := string(v.b)
	if len(topic) >= 246 && len(topic) <= 255 && libzmq.OlderThan(4, 3, 5) {
		return o.fail(opSet, syscall.ENOTSUP, "the topic has %d bytes, and before libzmq 4.3.5 topics of 246 to 255 bytes are sent wrongly and never match; use a shorter prefix or a newer libzmq", len(topic))
	}
	held := s.attach.topics
	if o.number == numSubscribe && s.core().On(numConflate) && len(held) > 0 && held[topic] == 0 {
		return o.fail(opSet, syscall.EINVAL, oneConflated)
	}
	if err := o.store(s, v); err != nil {
		return err
	}
	if s.Type() != Sub {
		return nil
	}
	switch {
	case o.number == numSubscribe:
		held[topic]++
		if s.core().On(numInvertMatching) { // which excludes the topic
			s.filterHeld()
		}
	case held[topic] > 1:
		held[topic]--
	default:
		delete(held, topic)
		s.filterHeld()
	}
	return nil
}

// setInvertMatching filters the messages that a SUB holds, if the value is another one.
func setInvertMatching(s *Socket, o *optionSpec, v optionValue) error {
	before := s.core().On(o.number)
	if err := o.store(s, v); err != nil {
		return err
	}
	if s.Type() == Sub && v.on() != before {
		s.filterHeld()
	}
	return nil
}

// filterHeld drops messages that the SUB has read ahead and that it must not receive any
// more. libzmq does the same with the messages in its queue when they are received.
func (s *Socket) filterHeld() {
	topics := s.attach.topics
	s.core().Filter(func(first []byte) bool {
		for n := 0; n <= min(len(first), rules.MaxTopic); n++ {
			if topics[string(first[:n])] > 0 {
				return true
			}
		}
		return false
	})
}
