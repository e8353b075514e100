// Package request sends requests and matches replies to them. Any number of goroutines
// can share a [Client]. A [Server] answers requests with any number of workers.
//
// A REQ socket sends one request at a time and blocks forever when a reply is lost. A
// Client has one DEALER socket, on which the requests of all goroutines run at the same
// time. Each request has a number, and Request returns only the reply with the same
// number. The Client drops and counts late replies. A request whose context is done does
// not affect later requests. One Client for all goroutines replaces a pool of sockets.
//
//	s, err := zctx.NewSocket(zmq.Dealer)
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
// A request and its reply have the form [number][empty part][parts...]. A REQ with
// ReqCorrelate sends the same form, with a number of four bytes instead of eight. A REP
// returns everything up to the empty part and passes only the rest to the program. The
// server may therefore be a REP in any language. It may also be a ROUTER or DEALER that
// returns the parts up to the empty one, as a Server does. Proxies and brokers with
// ROUTER and DEALER sockets may stand between client and server. The first number is
// random, so that a new process does not accept replies to requests of an old one.
//
// A REQ with ReqCorrelate and ReqRelaxed also drops late replies. However, it has only
// one request under way, and the next request cancels it.
//
// # Repeated requests
//
// libzmq does not report a request that is lost when a connection breaks. The server may
// handle a request more than once if the Client makes more than one attempt. Use several
// attempts only for requests that can be repeated.
package request
