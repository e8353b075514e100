// Package zap decides who may connect: it is the authenticator that libzmq asks
// (RFC 27) about each new connection of a context's server sockets.
//
//	auth, err := zap.Start(ctx, zap.Policy{
//		Allow: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
//		Curve: store.Allowed,
//	})
//	...
//	defer auth.Close()
//	server, err := ctx.NewSocket(zmq.Rep, zmq.AsCurveServer(secret, zmq.Authenticated("backend")))
//
// A [Policy] has lists of addresses and functions for names, passwords and keys; it
// can be replaced while the authenticator runs. Each [Decision] can be logged. The
// functions are the program's own: one that panics refuses its client, one that
// does not return refuses it after a time, and neither keeps others waiting.
//
// Connections that exist are never asked about again. A client that was refused for
// good (status 400 or 500) is told so, and its libzmq does not try again until the
// program connects anew (a Send on a socket with no other connection waits then, as
// it does without any: bound it with a context); one that was refused for now (300) tries again by itself,
// when the server's HandshakeInterval has passed.
//
// Keys are kept in certificates, files as CZMQ and pyzmq write them: see
// [Certificate] and [DirectoryStore].
package zap
