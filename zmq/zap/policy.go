package zap

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// What a zero Policy field means.
const (
	defaultTimeout      = 500 * time.Millisecond
	defaultMaxCallbacks = 64
)

// Policy says who may connect. It is copied by Start and SetPolicy; its functions
// are called from several goroutines at once. The zero value lets in every client
// without security (NULL), and nobody who brings a password or a key, since there
// is no function to look at them.
//
// The lists come first, then the function of the client's mechanism, then
// Authorize; each can refuse.
type Policy struct {
	// Allow lists the addresses that may connect; empty: all may. IPv4 addresses
	// that come as IPv6 (::ffff:10.0.0.1) count as IPv4. A peer without an IP
	// address, as over ipc, is not in any list: AllowLocal is for it.
	Allow []netip.Prefix
	// Deny lists addresses that may not connect, also when Allow has them.
	Deny []netip.Prefix
	// AllowLocal lets in peers without an IP address although there is an Allow.
	AllowLocal bool

	// Plain tells whether a password is right. Without it (and without Authorize)
	// clients that bring one are refused. Compare with crypto/subtle.
	Plain func(domain, user, password string) bool
	// Curve tells whether the owner of a public key, in 40 characters of Z85, may
	// connect; that the client is the owner is certain. Without it (and without
	// Authorize) such clients are refused. DirectoryStore.Allowed is one.
	Curve func(domain, publicKey string) bool
	// GSSAPI tells whether a Kerberos principal may connect. Without it (and
	// without Authorize) such clients are refused.
	GSSAPI func(domain, principal string) bool
	// Authorize, if there is one, has the last word on each client that all of
	// the above lets in, also on those without security. An error refuses; what it
	// grants is attached to each message of the connection. ctx ends with the
	// Timeout and with Close.
	Authorize func(ctx context.Context, r Request) (Grant, error)

	// Timeout is how long the functions may take for one client, all together;
	// then it is refused for now (300). 0: 500 ms.
	Timeout time.Duration
	// MaxCallbacks is how many clients the functions may be busy with at once, 0: 64.
	// Further clients are refused for now (300) until one has returned. A function
	// that never returns keeps its place until SetPolicy, which starts with none
	// taken.
	MaxCallbacks int

	// Log is called with each decision after it was made, from one goroutine that
	// nothing else waits for. When it falls 1024 decisions behind, further ones are
	// left out and counted in Stats.
	Log func(Decision)

	// Domains has the policies for single domains, in place of this one; see
	// zmq.Authenticated. Theirs have no Timeout, MaxCallbacks, Log and Domains of
	// their own.
	Domains map[string]Policy
}

// Grant is what Policy.Authorize attaches to a connection.
type Grant struct {
	// UserID is what Message.Property("User-Id") returns: at most 255 bytes,
	// without NUL. Empty: the name, public key or principal that the client was
	// let in by.
	UserID string
	// Metadata are further properties of each message. Names consist of 1 to 255
	// letters, digits and "-_.+"; values have no NUL. Names that libzmq sets itself
	// (User-Id, Routing-Id, Identity, Socket-Type, Peer-Address) are refused.
	Metadata map[string]string
}

// rules is a policy as the authenticator uses it.
type rules struct {
	Policy
	slots   chan struct{} // one entry for each function that is running
	journal *journal
	domains map[string]*rules
}

func newRules(p Policy) (*rules, error) {
	if err := p.check(""); err != nil {
		return nil, err
	}
	if p.Timeout == 0 {
		p.Timeout = defaultTimeout
	}
	if p.MaxCallbacks == 0 {
		p.MaxCallbacks = defaultMaxCallbacks
	}
	base := &rules{Policy: p.copied(), slots: make(chan struct{}, p.MaxCallbacks), journal: &journal{log: p.Log}}
	base.domains = make(map[string]*rules, len(p.Domains))
	for name, d := range p.Domains {
		if err := d.checkDomain(name); err != nil {
			return nil, err
		}
		d.Timeout, d.MaxCallbacks = p.Timeout, p.MaxCallbacks
		base.domains[name] = &rules{Policy: d.copied(), slots: base.slots, journal: base.journal}
	}
	return base, nil
}

func (r *rules) of(domain string) *rules {
	if d, ok := r.domains[domain]; ok {
		return d
	}
	return r
}

func (p Policy) copied() Policy {
	p.Allow, p.Deny = slices.Clone(p.Allow), slices.Clone(p.Deny)
	p.Domains = maps.Clone(p.Domains)
	return p
}

func policyError(format string, args ...any) error {
	return &zmq.Error{Op: "zap", Errno: syscall.EINVAL, Detail: "policy: " + fmt.Sprintf(format, args...)}
}

func (p Policy) check(where string) error {
	for _, list := range []struct {
		name     string
		prefixes []netip.Prefix
	}{{"Allow", p.Allow}, {"Deny", p.Deny}} {
		for i, prefix := range list.prefixes {
			switch {
			case !prefix.IsValid():
				return policyError("%sentry %d of %s is no prefix; make it with netip.ParsePrefix", where, i, list.name)
			case prefix.Addr().Is4In6():
				return policyError("%s%s of %s is an IPv4 address written as IPv6 and matches nothing; write it as IPv4", where, prefix, list.name)
			}
		}
	}
	switch {
	case p.Timeout < 0:
		return policyError("%sa Timeout of %v; it is positive, or 0 for %v", where, p.Timeout, defaultTimeout)
	case p.MaxCallbacks < 0:
		return policyError("%sMaxCallbacks of %d; it is positive, or 0 for %d", where, p.MaxCallbacks, defaultMaxCallbacks)
	}
	return nil
}

func (p Policy) checkDomain(name string) error {
	where := fmt.Sprintf("domain %q: ", name)
	switch {
	case name == "" || len(name) > 255:
		return policyError("%sa domain has 1 to 255 bytes", where)
	case p.Timeout != 0 || p.MaxCallbacks != 0 || p.Log != nil || p.Domains != nil:
		return policyError("%sTimeout, MaxCallbacks, Log and Domains are for the whole policy", where)
	}
	return p.check(where)
}

// verdict is the outcome of looking at a request.
type verdict struct {
	status int
	text   string
	err    error
	grant  Grant
}

func refuse(text string) verdict { return verdict{status: Refused, text: text} }

// look decides what can be decided without calling anybody; done is false when
// functions have to be asked.
func (r *rules) look(req *Request) (v verdict, done bool) {
	if text := r.checkAddress(req.IP); text != "" {
		return refuse(text), true
	}
	var asks bool
	switch req.Mechanism {
	case mechanismNull:
		asks = r.Authorize != nil
		if !asks {
			return verdict{status: Accepted, text: "OK"}, true
		}
	case mechanismPlain:
		asks = r.Plain != nil || r.Authorize != nil
	case mechanismCurve:
		asks = r.Curve != nil || r.Authorize != nil
	case mechanismGSSAPI:
		asks = r.GSSAPI != nil || r.Authorize != nil
	}
	if !asks {
		return refuse("no function in the policy looks at " + req.Mechanism + " clients"), true
	}
	return verdict{}, false
}

func (r *rules) checkAddress(ip netip.Addr) string {
	in := func(list []netip.Prefix) bool {
		return ip.IsValid() && slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(ip) })
	}
	switch {
	case in(r.Deny):
		return "the address is in Deny"
	case len(r.Allow) == 0 || in(r.Allow) || !ip.IsValid() && r.AllowLocal:
		return ""
	case !ip.IsValid():
		return "the peer has no IP address, and AllowLocal is not set"
	}
	return "the address is not in Allow"
}

// ask calls the functions. It is where the program's own code runs.
func (r *rules) ask(ctx context.Context, req Request) verdict {
	accepted := true
	switch {
	case req.Mechanism == mechanismPlain && r.Plain != nil:
		accepted = r.Plain(req.Domain, req.User, req.Password())
	case req.Mechanism == mechanismCurve && r.Curve != nil:
		accepted = r.Curve(req.Domain, req.PublicKey)
	case req.Mechanism == mechanismGSSAPI && r.GSSAPI != nil:
		accepted = r.GSSAPI(req.Domain, req.Principal)
	}
	if !accepted {
		return refuse("the policy's " + req.Mechanism + " function refused")
	}
	v := verdict{status: Accepted, text: "OK"}
	if r.Authorize != nil {
		grant, err := r.Authorize(ctx, req)
		if err != nil {
			return verdict{status: Refused, text: "the policy's Authorize function refused", err: err}
		}
		v.grant = grant
	}
	return v
}
