package zmq

import "slices"

// SocketDefaults makes the setting that gives a context's later sockets these
// options, before those that NewSocket names, which therefore win. An option that
// the type of a socket does not have, such as Subscribe for a PUSH, is left out
// there; any other failure is one of NewSocket's. It takes the place of an earlier
// SocketDefaults; without arguments there are none.
//
// Slices among the values must not change afterwards.
//
// libzmq: zmq_setsockopt, for each socket.
func SocketDefaults(settings ...Setting) ContextSetting {
	settings = slices.Clone(settings)
	return ContextSetting{apply: func(c *Context) error {
		c.defaults.Store(&settings)
		return nil
	}}
}

// settingsFor returns the defaults that a type of socket can have, and what is added
// to them.
func (c *Context) settingsFor(t SocketType, added []Setting) []Setting {
	defaults := c.defaults.Load()
	if defaults == nil {
		return added
	}
	var all []Setting
	for _, d := range *defaults {
		if d.spec != nil && !d.spec.types.has(t) {
			continue
		}
		if t == XPub && (d.spec == Subscribe.spec || d.spec == Unsubscribe.spec) {
			continue // an XPUB has them for each message, with XPubManual
		}
		all = append(all, d)
	}
	return append(all, added...)
}

// HWM makes the setting that gives SendHWM and RecvHWM the same value, for
// NewSocket and Set. Unit: messages; 0 is no limit.
//
// libzmq: ZMQ_SNDHWM, ZMQ_RCVHWM.
func HWM(messages int) Setting {
	return Setting{apply: func(s *Socket) error {
		if err := SendHWM.spec.set(s, messages); err != nil {
			return err
		}
		return RecvHWM.spec.set(s, messages)
	}}
}
