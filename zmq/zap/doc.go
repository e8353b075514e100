// Package zap authenticates clients. It answers the requests that libzmq makes (RFC 27) for
// each new connection to the server sockets of a context.
//
//	auth, err := zap.Start(zctx, zap.Policy{
//		Allow: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
//		Curve: store.Allowed,
//	})
//	...
//	defer auth.Close()
//	server, err := zctx.NewSocket(zmq.Rep, zmq.AsCurveServer(secret, zmq.Authenticated("backend")))
//
// A [Policy] has lists of addresses, and functions that check names, passwords and keys.
// SetPolicy replaces the policy of a running authenticator. Policy.Log receives each
// [Decision]. A function that panics or times out refuses only
// its own client, and delays no other.
//
// An existing connection is never checked again. A client that is refused for good
// (status 400 or 500) receives the status. Its libzmq does not try again until the
// program calls Connect again. If the client's socket has no other connection, a Send on
// it then blocks, so limit the Send with a context. A client that is refused for now
// (status 300) tries again when the server's HandshakeInterval has passed.
//
// Certificates hold keys, in the file format of CZMQ and pyzmq: see [Certificate] and
// [DirectoryStore].
package zap
