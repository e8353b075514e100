package zmq

import (
	"maps"
	"slices"
)

// Topics returns what a SUB socket has subscribed to, sorted, each topic once. Of
// other types it knows nothing: an XSUB sends its subscriptions as messages, an XPUB
// receives those of its peers, and the option TopicsCount says how many there are. Any
// goroutine may call it, also after Close; it does not wait.
//
// libzmq has no such function.
func (s *Socket) Topics() []string {
	if s == nil {
		return nil
	}
	s.configMu.Lock()
	defer s.configMu.Unlock()
	return slices.Sorted(maps.Keys(s.attach.topics))
}

// setTopic subscribes or unsubscribes, and keeps count of a SUB's topics as libzmq
// does: each has to be unsubscribed as often as it was subscribed to.
func setTopic(s *Socket, o *optionSpec, v optionValue) error {
	topic := string(v.b)
	if err := checkTopic(s, topic); err != nil {
		return err
	}
	if err := o.store(s, v); err != nil {
		return err
	}
	if s.Type() != Sub {
		return nil
	}
	held := &s.attach.topics
	switch {
	case o.number == numSubscribe:
		if *held == nil {
			*held = make(map[string]int)
		}
		(*held)[topic]++
	case (*held)[topic] > 1:
		(*held)[topic]--
	default:
		delete(*held, topic)
	}
	return nil
}
