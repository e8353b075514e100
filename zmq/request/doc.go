// Package request is requests and replies that cannot be mixed up: a [Client] that
// any number of goroutines share, and a [Server] that answers with any number of
// workers.
//
// A REQ socket sends one request at a time, and is stuck for ever when a reply is
// lost. A Client has one DEALER socket and as many requests under way as there are
// goroutines in Request. Each request has a number, and only the reply that carries
// it is returned; what comes too late is dropped and counted. So a request whose
// context ends does no harm, and the next one is as good as the first. One
// Client for all goroutines takes the place of a pool of sockets.
//
//	s, err := ctx.NewSocket(zmq.Dealer)
//	...
//	err = s.Connect("tcp://127.0.0.1:5555")
//	...
//	client, err := request.NewClient(s, request.Config{Attempts: 3, Timeout: time.Second})
//	...
//	defer client.Close()
//	reply, err := client.Request(ctx, []byte("what time is it?"))
//
// # On the wire
//
// A request is [number][empty part][parts...], and so is the reply. This is what a
// REQ with ReqCorrelate sends, with a number of eight bytes in place of four. A REP
// returns all up to the empty part by itself and sees the rest only, so that the
// server may be any REP in any language, or a ROUTER or DEALER that returns what
// precedes the empty part, as a Server does. Proxies and brokers of ROUTER and DEALER
// sockets may stand in between. The first number is random, so that replies for a
// process that ended are not taken for those of its successor.
//
// REQ_CORRELATE with REQ_RELAXED also drops late replies, but has one request under
// way for each socket, and the next one cancels it.
//
// # More than once
//
// When a request is lost with a connection, nobody is told. A client that has made
// more than one attempt may have been served more than once; let such requests be
// ones that can be repeated.
package request
