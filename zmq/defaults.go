package zmq

import "slices"

// SocketDefaults returns a setting that gives these options to all sockets that the context
// creates later. NewSocket applies them before its own settings, which therefore override
// them. It skips options that the type of the socket does not have, such as Subscribe on a
// PUSH or SendHWM on a SUB. Any other setting that fails makes NewSocket fail.
//
// The setting replaces the defaults of an earlier SocketDefaults; without arguments it
// removes them. If a value is a slice, the caller must not change it afterwards.
//
// Implements: zmq_setsockopt.
func SocketDefaults(settings ...Setting) ContextSetting {
	settings = slices.Clone(settings)
	return ContextSetting{apply: func(c *Context) error {
		c.defaults.Store(&settings)
		return nil
	}}
}

// settingsFor returns the defaults that apply to a type of socket, followed by added.
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
		if d.types != 0 && !d.types.has(t) {
			continue
		}
		if d.spec == SendHWM.spec && onlySubscribes.has(t) {
			continue // these types have no SendHWM
		}
		if t == XPub && (d.spec == Subscribe.spec || d.spec == Unsubscribe.spec) {
			continue // on an XPUB they answer a single request, with XPubManual
		}
		all = append(all, d)
	}
	return append(all, added...)
}

// HWM returns a setting that sets SendHWM and RecvHWM to the same value. Unit: messages; 0
// means no limit. On a SUB or DISH it sets only RecvHWM, because their SendHWM is always 0.
// On an XSUB it sets both; see SendHWM for the consequences.
//
// Implements: zmq_setsockopt(ZMQ_SNDHWM, ZMQ_RCVHWM).
func HWM(messages int) Setting {
	return Setting{apply: func(s *Socket) error {
		if !onlySubscribes.has(s.Type()) {
			if err := SendHWM.spec.set(s, messages); err != nil {
				return err
			}
		}
		return RecvHWM.spec.set(s, messages)
	}}
}
