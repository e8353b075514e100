package peertable

import (
	"net/netip"
	"slices"
	"strings"
	"time"
)

// Attach records an endpoint that is about to be connected. If the connect fails, undo
// reverses that.
func (t *Table) Attach(endpoint string) (undo func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rejoin(endpoint)
	delete(t.also, endpoint)
	g := t.groupAt(endpoint)
	if g.attached {
		return func() {}
	}
	g.attached = true
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if g.attached = false; !g.made && len(g.open) == 0 && len(g.ready)+g.successes == 0 {
			delete(t.at, endpoint)
		}
	}
}

// Listen says that the socket is about to bind an endpoint.
func (t *Table) Listen(endpoint string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rejoin(endpoint)
}

// ports has detached endpoints by port, so that looking for one takes no longer the more
// there are.
type ports map[string][]string

func (p *ports) add(endpoint string) {
	if *p == nil {
		*p = ports{}
	}
	_, _, port := address(endpoint)
	if !slices.Contains((*p)[port], endpoint) {
		(*p)[port] = append((*p)[port], endpoint)
	}
}

// rejoin drops from left what may be an endpoint or its resolved address: equal ports suffice.
func (t *Table) rejoin(endpoint string) {
	transport, _, port := address(endpoint)
	drop := func(port string, all bool) {
		rest := slices.DeleteFunc(t.left[port], func(left string) bool {
			tr, _, _ := address(left)
			return left == endpoint || all && tr == transport
		})
		if delete(t.left, port); len(rest) > 0 {
			t.left[port] = rest
		}
	}
	if port != "*" && port != "0" {
		drop(port, port != "")
		return
	}
	for p := range t.left { // any port
		drop(p, p != "")
	}
}

// hasLeft reports whether an endpoint was detached. A connection there may still become
// ready, while unsent messages linger, but libzmq will not report its end. An address that
// belongs to another endpoint as well has not left.
func (t *Table) hasLeft(endpoint string) bool {
	if len(t.left) == 0 || t.at[endpoint] != nil || t.also[endpoint] != nil {
		return false
	}
	_, _, port := address(endpoint)
	return slices.ContainsFunc(t.left[port], func(left string) bool { return endpoint == left || coveredBy(endpoint, left) })
}

// resolved returns the group of a connection that was made to an endpoint which was not
// passed to Connect. libzmq reports the first connection to a host name, or from a source
// address, at that endpoint, and further ones at the address to which it has resolved the
// endpoint. So the group is that of an attached endpoint with the same port whose
// connection has ended, if there is one, and otherwise at. Two names with the same address
// share a group after that, because libzmq does not report to which of them it belongs.
func (t *Table) resolved(endpoint string, at *group) *group {
	if at.made || len(at.ready)+len(at.open) > 0 {
		return at
	}
	transport, _, port := address(endpoint)
	for name, g := range t.at {
		tr, host, p := address(name)
		_, err := netip.ParseAddr(strings.Trim(host, "[]"))
		if err == nil || p == "" || tr != transport || p != port || !g.attached || !g.made || len(g.ready)+len(g.open) > 0 {
			continue
		}
		g.successes += at.successes // reported before the connection
		g.half = g.half != at.half
		delete(t.at, endpoint)
		t.also[endpoint] = g
		return g
	}
	return at
}

func (t *Table) groupAt(endpoint string) *group {
	if g := t.also[endpoint]; g != nil {
		return g
	}
	g := t.at[endpoint]
	if g == nil {
		if t.at == nil {
			t.at, t.also, t.conns = map[string]*group{}, map[string]*group{}, map[int32]*conn{}
		}
		g = &group{open: map[int32]*conn{}, ready: map[int32]*conn{}}
		t.at[endpoint] = g
	}
	return g
}

// Detach removes the connections of an endpoint that was unbound or disconnected. libzmq
// ends them without a report.
func (t *Table) Detach(endpoint string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if g := t.at[endpoint]; g != nil {
		t.detach(endpoint, g)
	}
	if _, host, _ := address(endpoint); isWildcard(host) {
		for at, g := range t.at {
			if !g.made && !g.attached && coveredBy(at, endpoint) {
				t.detach(at, g)
			}
		}
	}
	t.left.add(endpoint)
	t.closed += min(t.peers(), 0)
	t.changed.Wake()
}

// DetachAll removes the connections of a socket that was closed, except those over inproc.
func (t *Table) DetachAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for at, g := range t.at {
		t.detach(at, g)
	}
	t.closed, t.left, t.before = 0, nil, nil
	t.changed.Wake()
}

func (t *Table) detach(at string, g *group) {
	delete(t.at, at)
	t.left.add(at)
	t.ended = time.Now()
	// It is not known which of the closed connections belong to this endpoint.
	t.closed -= min(t.closed, len(g.ready)+g.successes)
	for address, owner := range t.also {
		if owner == g {
			delete(t.also, address)
			t.left.add(address)
		}
	}
	for _, conns := range []map[int32]*conn{g.ready, g.open} {
		for _, c := range conns {
			t.remove(c, Detached)
		}
	}
	t.count -= g.successes
}

func isWildcard(host string) bool { return host == "0.0.0.0" || host == "[::]" }

// coveredBy reports whether a bound endpoint is a wildcard that accepts connections at an
// address.
func coveredBy(at, bound string) bool {
	transport, host, port := address(bound)
	t, _, p := address(at)
	return isWildcard(host) && t == transport && p == port
}

// address splits an endpoint such as tcp://127.0.0.1:5555 or ws://127.0.0.1:5555/path. The
// port of other endpoints is empty.
func address(endpoint string) (transport, host, port string) {
	transport, rest, _ := strings.Cut(endpoint, "://")
	rest, _, _ = strings.Cut(rest, "/")
	colon := strings.LastIndexByte(rest, ':')
	if colon < 0 {
		return transport, rest, ""
	}
	return transport, rest[:colon], rest[colon+1:]
}
