//go:build linux

package libzmq

import (
	"os"
	"runtime"
	"sync"
	"syscall"
)

// The sequences of calls of TestAbort, in the order of its table.

func abortDescriptors() {
	c := makeContext()
	leaveDescriptors(3)
	OpenSocket(c, Push)
	whileAlive()
}

func abortBind() {
	c := makeContext()
	s := makeSocket(c, Pull)
	leaveDescriptors(0)
	Bind(s, "tcp://127.0.0.1:*")
}

func abortStrayClose() {
	c := makeContext()
	s := makeSocket(c, Push)
	syscall.Close(GetInt(s, OptFD))
	Events(s)
	CloseSocket(s, 0, false)
	whileAlive()
}

func abortUseFD() {
	const useFD = 89
	c := makeContext()
	s := makeSocket(c, Pull)
	setInt(s, useFD, 9999)
	Bind(s, "tcp://127.0.0.1:*")
	whileAlive()
}

func abortConflate() {
	const conflate = 54
	c := makeContext()
	push, pull := makeSocket(c, Push), makeSocket(c, Pull)
	setInt(pull, conflate, 1)
	must(Connect(push, bindTCP(pull)))
	var m Msg
	for {
		retry(func() int { return send(push, "a", "b", "c") })
		Recv(pull, &m, make([]Msg, 4), 0, 0)
	}
}

func abortHalfRead() {
	c := makeContext()
	push, pull := makeSocket(c, Push), makeSocket(c, Pull)
	endpoint := bindTCP(push)
	must(Connect(pull, endpoint))
	retry(func() int { return send(push, "a", "b", "c") })
	var first Msg
	retry(func() int { rc, _ := Recv(pull, &first, nil, 0, 0); return rc })
	must(Disconnect(pull, endpoint))
	RecvRest(pull, make([]Msg, 2), 0)
	RecvRest(pull, make([]Msg, 2), 0)
}

func abortLook() {
	c := makeContext()
	dealer, router := makeSocket(c, Dealer), makeSocket(c, Router)
	must(Bind(dealer, "inproc://dealer"))
	must(Connect(router, "inproc://dealer"))
	must(send(dealer, "a", "b"))
	for Events(router)&EventIn == 0 {
	}
	must(Disconnect(router, "inproc://dealer"))
	for {
		retry(func() int { rc, _ := Recv(router, new(Msg), make([]Msg, 4), 0, 0); return rc })
	}
}

func abortRoutingID() {
	const connectRoutingID = 61
	c := makeContext()
	s := makeSocket(c, Router)
	for range 2 {
		must(SetOption(s, connectRoutingID, []byte("A")))
		must(Connect(s, "tcp://127.0.0.1:1"))
	}
}

// abortGuessedID takes the id that a ROUTER will make up for its next peer.
func abortGuessedID() {
	const routingID = 5
	c := makeContext()
	router := makeSocket(c, Router)
	endpoint := bindTCP(router)
	greet := func(id []byte) []byte {
		dealer := makeSocket(c, Dealer)
		if id != nil {
			must(SetOption(dealer, routingID, id))
		}
		must(Connect(dealer, endpoint))
		must(send(dealer, "hello"))
		var m Msg
		retry(func() int { rc, _ := Recv(router, &m, make([]Msg, 1), 0, 0); return rc })
		return append([]byte{}, m.Bytes()...)
	}
	id := greet(nil)
	for i := len(id) - 1; i > 0; i-- {
		if id[i]++; id[i] != 0 {
			break
		}
	}
	greet(id)
	greet(nil)
}

func abortRawProbe() {
	const routerRaw, probeRouter = 41, 51
	c := makeContext()
	pull, router := makeSocket(c, Pull), makeSocket(c, Router)
	setInt(router, routerRaw, 1)
	setInt(router, probeRouter, 1)
	must(Connect(router, bindTCP(pull)))
	whileAlive()
}

// abortThreads runs without the root's privilege to start threads beyond the
// limit. Go's runtime has spare threads first; it needs some to die in order.
func abortThreads() {
	spareThreads(16)
	if os.Getuid() == 0 {
		if err := syscall.Setuid(65534); err != nil {
			panic(err)
		}
	}
	const limitProcesses = 6 // RLIMIT_NPROC
	if err := syscall.Setrlimit(limitProcesses, &syscall.Rlimit{Cur: 1, Max: 1}); err != nil {
		panic(err)
	}
	OpenSocket(makeContext(), Push)
}

// spareThreads makes Go's runtime start n threads, which it keeps.
func spareThreads(n int) {
	var all sync.WaitGroup
	all.Add(n)
	release := make(chan struct{})
	for range n {
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			all.Done()
			<-release
		}()
	}
	all.Wait()
	close(release)
}

func abortImmediate() {
	const immediate = 39
	c := makeContext()
	pull, push := makeSocket(c, Pull), makeSocket(c, Push)
	setInt(push, immediate, 1)
	must(Connect(push, bindTCP(pull)))
	retry(func() int { return send(push, "connected") })
	setInt(push, immediate, 0)
	CloseSocket(pull, 0, false)
	retry(func() int { Events(push); return -int(syscall.EAGAIN) })
}

const (
	plainServer      = 44
	plainUsername    = 45
	plainPassword    = 46
	zapDomain        = 55
	zapEnforceDomain = 93
)

func connectPlain(c Context, server Socket) {
	client := makeSocket(c, Push)
	must(SetOption(client, plainUsername, []byte("u")))
	must(SetOption(client, plainPassword, []byte("p")))
	must(Connect(client, bindTCP(server)))
	whileAlive()
}

func abortZap() {
	c := makeContext()
	must(Bind(makeSocket(c, Pair), "inproc://zeromq.zap.01"))
	server := makeSocket(c, Pull)
	setInt(server, plainServer, 1)
	must(SetOption(server, zapDomain, []byte("d")))
	connectPlain(c, server)
}

func abortPlainDomain() {
	c := makeContext()
	must(Bind(makeSocket(c, Rep), "inproc://zeromq.zap.01"))
	server := makeSocket(c, Pull)
	setInt(server, plainServer, 1)
	setInt(server, zapEnforceDomain, 1)
	connectPlain(c, server)
}

func abortMaxSockets() {
	c := makeContext()
	must(SetContextOption(c, CtxMaxSockets, 1<<31-1))
	OpenSocket(c, Push)
}

func abortAffinity() {
	const affinityAdd = 7
	c := makeContext()
	must(SetContextOption(c, affinityAdd, 1000))
	OpenSocket(c, Push)
	whileAlive()
}

func abortDraftTypes() {
	c := makeContext()
	server, client := makeSocket(c, Server), makeSocket(c, Client)
	must(Connect(client, bindTCP(server)))
	must(send(client, "after the handshake"))
	var m Msg
	retry(func() int { rc, _ := Recv(server, &m, nil, 0, 0); return rc })
	m.Close()
	CloseSocket(client, 0, false)
	CloseSocket(server, 0, false)
	Term(c)
}

func abortSettle() {
	c := makeContext()
	must(SetContextOption(c, CtxMaxSockets, 1))
	must(Connect(makeSocket(c, Push), "inproc://nobody"))
	Term(c)
}

// abortRepMandatory lets a requester take no replies.
func abortRepMandatory() {
	const sendHWM, recvHWM, routerMandatory = 23, 24, 33
	c := makeContext()
	rep, dealer := makeSocket(c, Rep), makeSocket(c, Dealer)
	setInt(rep, routerMandatory, 1)
	setInt(rep, sendHWM, 1)
	setInt(dealer, recvHWM, 1)
	must(Bind(rep, "inproc://rep"))
	must(Connect(dealer, "inproc://rep"))
	var m Msg
	for range 100 {
		retry(func() int { return send(dealer, "", "request") })
		retry(func() int { rc, _ := Recv(rep, &m, nil, 0, 0); return rc })
		send(rep, "reply")
	}
}

func abortPendingInproc() {
	c := makeContext()
	router := makeSocket(c, Router)
	must(Connect(router, "inproc://later"))
	must(Disconnect(router, "inproc://later"))
	Events(router)
	Bind(makeSocket(c, Dealer), "inproc://later")
}

// A PAIR takes the first of two who connected before, and turns the other away.
func abortPairTurnsAway() {
	c := makeContext()
	for range 2 {
		must(Connect(makeSocket(c, Rep), "inproc://later"))
	}
	Bind(makeSocket(c, Pair), "inproc://later")
}

// A ROUTER gives the id of a connection that waits for its name to another one.
func abortHandover() {
	const routingID = 5
	c := makeContext()
	router, dealer := makeSocket(c, Router), makeSocket(c, Dealer)
	setInt(router, OptRouterHandover, 1)
	must(SetOption(router, OptConnectID, []byte("same")))
	must(Connect(router, "inproc://later"))
	must(SetOption(dealer, routingID, []byte("same")))
	must(Bind(dealer, "inproc://now"))
	must(Connect(router, "inproc://now"))
	must(send(dealer, "x"))
	var m Msg
	for range 2 {
		Recv(router, &m, make([]Msg, 4), 0, 0)
	}
	Bind(makeSocket(c, Dealer), "inproc://later")
}

func abortConflatedName() {
	c := makeContext()
	push := makeSocket(c, Push)
	setInt(push, OptConflate, 1)
	must(Connect(push, "inproc://later"))
	must(Disconnect(push, "inproc://later"))
	Bind(makeSocket(c, Pull), "inproc://later")
}

func abortWelcome() {
	c := makeContext()
	sub, xpub := makeSocket(c, Sub), makeSocket(c, XPub)
	must(SetOption(xpub, OptXPubWelcome, []byte("hi")))
	must(Connect(sub, "inproc://later"))
	must(Disconnect(sub, "inproc://later"))
	Events(sub)
	Bind(xpub, "inproc://later")
}

func abortSubBinds() {
	const subscribe, sndHWM = 6, 23
	c := makeContext()
	router, sub := makeSocket(c, Router), makeSocket(c, Sub)
	setInt(router, OptRecvHWM, 1)
	setInt(sub, sndHWM, 1)
	for _, topic := range []string{"a", "b", "c", "d"} {
		must(SetOption(sub, subscribe, []byte(topic)))
	}
	must(Connect(router, "inproc://later"))
	Bind(sub, "inproc://later")
}

func abortStreamInproc() {
	c := makeContext()
	stream, dealer := makeSocket(c, Stream), makeSocket(c, Dealer)
	must(Bind(stream, "inproc://stream"))
	must(Connect(dealer, "inproc://stream"))
	must(send(dealer, "a", "b"))
	var m Msg
	for {
		retry(func() int { rc, _ := Recv(stream, &m, make([]Msg, 4), 0, 0); return rc })
	}
}

func abortLongTopic() {
	const subscribe = 6
	c := makeContext()
	s := makeSocket(c, Sub)
	must(SetOption(s, subscribe, make([]byte, 1<<20)))
	CloseSocket(s, 0, false)
	Term(c)
}

func abortSentTopic() {
	c := makeContext()
	s := makeSocket(c, XSub)
	topic := make([]byte, 1<<20)
	topic[0] = 1
	must(send(s, string(topic)))
	CloseSocket(s, 0, false)
	Term(c)
}
