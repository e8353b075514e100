package zap

import (
	"context"
	"errors"
	"net/netip"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/peertable"
	"github.com/go-zmq/go-zmq/zmq"
)

// Recheck ends the connections that the policy no longer admits, on all sockets of the context
// that ask the authenticator. Call it after SetPolicy, or when a function of the policy would
// decide differently. After it returns, nothing that such a peer sends later is received;
// what has arrived before can still be. Its EventPeerLeft has the cause EACCES. Known defect: a
// connection whose handshake succeeded only a moment before the call can outlast it, seen
// with PLAIN over ipc in about one of thirty tries. If it must be gone, check Peers afterwards.
//
// A connection stays if it is certain that the policy admits it: of NULL by its address, and of
// CURVE with TrackPeers, once a message of it was received, by address and public key. All
// others are ended as well, such as those of PLAIN, whose passwords are not kept, those in the
// middle of a handshake, and all if the policy has Authorize. Those that are still admitted
// connect again by themselves, and may lose messages that were under way.
//
// The functions of the policy run on the calling goroutine, without the Timeout. If ctx is done
// first, Recheck returns an error that wraps ctx.Err(), and the rest is not checked. It returns
// zmq.ErrNotSupported with TrackConnections.To(false), and ENOSYS on Windows.
func (a *Authenticator) Recheck(ctx context.Context) error {
	if a == nil || a.socket == nil {
		return errNil
	}
	var failed error
	for _, s := range a.socket.Context().Sockets() {
		if err := ctx.Err(); err != nil {
			return errors.Join(failed, &recheckError{err})
		}
		if !asks(s) {
			continue
		}
		rules := a.rules.Load()
		domain, _ := zmq.ZapDomain.Get(s)
		curve, _ := zmq.CurveServer.Get(s)
		plain, _ := zmq.PlainServer.Get(s)
		keep := func(p peertable.Peer) bool {
			return ctx.Err() != nil || !plain && rules.of(domain).stillAdmits(domain, curve, p.Address.Addr(), p.UserID)
		}
		if err := (*core.Of(s)).Revoke(keep); err != nil && failed == nil {
			failed = &recheckError{err}
		}
	}
	return failed
}

// asks reports whether a socket asks the authenticator about those who connect.
func asks(s *zmq.Socket) bool {
	for _, server := range []zmq.Option[bool]{zmq.CurveServer, zmq.PlainServer} {
		if on, err := server.Get(s); err == nil && on {
			return true
		}
	}
	domain, err := zmq.ZapDomain.Get(s)
	return err == nil && domain != ""
}

// stillAdmits reports whether it is certain that the rules admit a connected client.
func (r *rules) stillAdmits(domain string, curve bool, ip netip.Addr, userID string) (admits bool) {
	defer func() {
		if recover() != nil { // like a decision for which a function panics
			admits = false
		}
	}()
	switch {
	case r.Authorize != nil || r.checkAddress(ip) != "":
		return false
	case !curve:
		return true
	}
	return r.Curve != nil && userID != "" && r.Curve(domain, userID)
}

// recheckError is an error of Recheck.
type recheckError struct{ cause error }

func (e *recheckError) Error() string { return "zap: recheck: " + e.cause.Error() }

func (e *recheckError) Unwrap() error { return e.cause }
