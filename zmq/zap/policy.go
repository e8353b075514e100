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

// The defaults of a Policy.
const (
	defaultTimeout      = 500 * time.Millisecond
	defaultMaxCallbacks = 64
)

// Policy decides which clients may connect. Start and SetPolicy copy it. Several goroutines
// may call its functions at the same time, except Log. The zero value accepts every client
// without security (NULL), and refuses every client with a password or a key, because no
// function checks them.
//
// The address lists are checked first, then the function of the client's mechanism, then
// Authorize. Each of them can refuse the client.
type Policy struct {
	// Allow lists the addresses that may connect. An empty list allows all. An IPv4 address
	// in IPv6 form (::ffff:10.0.0.1) is treated as IPv4. A peer without an IP address, for
	// example over ipc, is in no list: see AllowLocal.
	Allow []netip.Prefix
	// Deny lists addresses that may not connect, even if they are in Allow.
	Deny []netip.Prefix
	// AllowLocal accepts peers without an IP address even if Allow is not empty.
	AllowLocal bool

	// Plain reports whether a password is correct. If Plain and Authorize are both nil,
	// clients with a password are refused. Compare passwords with crypto/subtle.
	Plain func(domain, user, password string) bool
	// Curve reports whether the owner of a public key, encoded as 40 characters of Z85,
	// may connect. CURVE has proved that the client owns the key. If Curve and Authorize
	// are both nil, such clients are refused. DirectoryStore.Allowed can be used here.
	Curve func(domain, publicKey string) bool
	// GSSAPI reports whether a Kerberos principal may connect. If GSSAPI and Authorize
	// are both nil, such clients are refused.
	GSSAPI func(domain, principal string) bool
	// Authorize decides last, on each client that the lists and functions above accept,
	// including clients without security. If it returns an error, the client is refused.
	// Otherwise libzmq attaches the Grant to each message of the connection. ctx is done
	// after the Timeout and on Close.
	Authorize func(ctx context.Context, r Request) (Grant, error)

	// Timeout limits the time of all functions for one client. When it has passed, the
	// client is refused for now (300), and a function that is still running no longer has
	// any effect. 0 means 500 ms.
	Timeout time.Duration
	// MaxCallbacks is how many clients the functions may check at the same time. Further
	// clients are refused for now (300) until a function returns. A function that never
	// returns occupies one of these places until the next successful SetPolicy, after
	// which all places are free. 0 means 64.
	MaxCallbacks int

	// Log is called with each decision, one after the other, on a separate goroutine. A slow
	// Log does not delay clients. When Log is 1024 decisions behind, further decisions are
	// dropped. Stats.Unlogged counts these, and those for which Log panicked. All of this
	// holds across SetPolicy: a new Log waits for the decisions that are queued for the old
	// one. If a Log never returns, later decisions are not logged.
	Log func(Decision)

	// Domains maps the name of a domain to the policy that replaces this one in that domain
	// (see zmq.Authenticated). Such a policy must not set Timeout, MaxCallbacks, Log or
	// Domains.
	Domains map[string]Policy
}

// Grant is the data that Policy.Authorize attaches to a connection.
type Grant struct {
	// UserID is the value of Message.Property("User-Id"), at most 255 bytes without NUL. If
	// it is empty, the property is the client's name, public key or principal.
	UserID string
	// Metadata holds further properties of each message. Names consist of 1 to 255
	// letters, digits and "-_.+". Values have no NUL. Names that libzmq uses itself
	// (User-Id, Routing-Id, Identity, Socket-Type, Peer-Address, Resource) are refused.
	// All metadata together may take at most 64 KiB. The authenticator copies the map
	// before it accepts the client. Do not change the map until then.
	Metadata map[string]string
}

// rules is a Policy in the form that the authenticator uses.
type rules struct {
	Policy
	slots   chan struct{} // one entry for each function that is running
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
	base := &rules{Policy: p.copied(), slots: make(chan struct{}, p.MaxCallbacks)}
	base.domains = make(map[string]*rules, len(p.Domains))
	for name, d := range p.Domains {
		if err := d.checkDomain(name); err != nil {
			return nil, err
		}
		d.Timeout, d.MaxCallbacks, d.Log = p.Timeout, p.MaxCallbacks, p.Log
		base.domains[name] = &rules{Policy: d.copied(), slots: base.slots}
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
				return policyError("%sentry %d of %s is not a valid prefix; create it with netip.ParsePrefix", where, i, list.name)
			case prefix.Addr().Is4In6():
				return policyError("%s%s of %s is an IPv4 address written as IPv6 and matches nothing; write it as IPv4", where, prefix, list.name)
			}
		}
	}
	switch {
	case p.Timeout < 0:
		return policyError("%sthe Timeout %v is negative; use 0 for the default of %v", where, p.Timeout, defaultTimeout)
	case p.MaxCallbacks < 0:
		return policyError("%sMaxCallbacks %d is negative; use 0 for the default of %d", where, p.MaxCallbacks, defaultMaxCallbacks)
	}
	return nil
}

func (p Policy) checkDomain(name string) error {
	where := fmt.Sprintf("domain %q: ", name)
	switch {
	case name == "" || len(name) > 255:
		return policyError("%sthe name must have 1 to 255 bytes", where)
	case p.Timeout != 0 || p.MaxCallbacks != 0 || p.Log != nil || p.Domains != nil:
		return policyError("%sset Timeout, MaxCallbacks, Log and Domains only in the outer policy", where)
	}
	return p.check(where)
}

// verdict is the result of a check.
type verdict struct {
	status int
	text   string
	err    error
	grant  Grant
}

func refuse(text string) verdict { return verdict{status: Refused, text: text} }

// look decides without calling a function, if it can. Otherwise done is false.
func (r *rules) look(req *Request) (v verdict, done bool) {
	if text := r.checkAddress(req.IP); text != "" {
		return refuse(text), true
	}
	switch {
	case r.function(req) != nil || r.Authorize != nil:
		return verdict{}, false
	case req.Mechanism == mechanismNull:
		return verdict{status: Accepted, text: "OK"}, true
	}
	return refuse("the policy has no function for " + req.Mechanism + " clients"), true
}

// function returns the call of the policy's function for the client's mechanism, or nil.
func (r *rules) function(req *Request) func() bool {
	switch {
	case req.Mechanism == mechanismPlain && r.Plain != nil:
		return func() bool { return r.Plain(req.Domain, req.User, req.Password()) }
	case req.Mechanism == mechanismCurve && r.Curve != nil:
		return func() bool { return r.Curve(req.Domain, req.PublicKey) }
	case req.Mechanism == mechanismGSSAPI && r.GSSAPI != nil:
		return func() bool { return r.GSSAPI(req.Domain, req.Principal) }
	}
	return nil
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

// ask calls the policy's functions, which are the program's own code.
func (r *rules) ask(ctx context.Context, req Request) verdict {
	if f := r.function(&req); f != nil && !f() {
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
