package aborts

import (
	"os"
	"syscall"
	"testing"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/test/testutil"
)

func abortDescriptors(t *testing.T) {
	c := makeContext()
	testutil.LeaveDescriptors(t, 3)
	libzmq.OpenSocket(c, libzmq.Push)
	whileAlive()
}

func abortBind(t *testing.T) {
	c := makeContext()
	s := makeSocket(c, libzmq.Pull)
	testutil.LeaveDescriptors(t, 0)
	libzmq.Bind(s, "tcp://127.0.0.1:*")
}

func abortStrayClose(t *testing.T) {
	c := makeContext()
	s := makeSocket(c, libzmq.Push)
	syscall.Close(libzmq.GetInt(s, libzmq.OptFD))
	libzmq.Events(s)
	libzmq.CloseSocket(s, 0, false)
	whileAlive()
}

func abortUseFD(t *testing.T) {
	const useFD = 89
	c := makeContext()
	s := makeSocket(c, libzmq.Pull)
	setInt(s, useFD, 9999)
	libzmq.Bind(s, "tcp://127.0.0.1:*")
	whileAlive()
}

func abortConflate(t *testing.T) {
	const conflate = 54
	c := makeContext()
	push, pull := makeSocket(c, libzmq.Push), makeSocket(c, libzmq.Pull)
	setInt(pull, conflate, 1)
	must(libzmq.Connect(push, bindTCP(pull)))
	var m libzmq.Msg
	for {
		retry(func() int { return send(push, "a", "b", "c") })
		libzmq.Recv(pull, &m, make([]libzmq.Msg, 4), 0, 0)
	}
}

func abortHalfRead(t *testing.T) {
	c := makeContext()
	push, pull := makeSocket(c, libzmq.Push), makeSocket(c, libzmq.Pull)
	endpoint := bindTCP(push)
	must(libzmq.Connect(pull, endpoint))
	retry(func() int { return send(push, "a", "b", "c") })
	var first libzmq.Msg
	retry(func() int { rc, _ := libzmq.Recv(pull, &first, nil, 0, 0); return rc })
	must(libzmq.Disconnect(pull, endpoint))
	libzmq.RecvRest(pull, make([]libzmq.Msg, 2), 0)
	libzmq.RecvRest(pull, make([]libzmq.Msg, 2), 0)
}

func abortLook(t *testing.T) {
	c := makeContext()
	dealer, router := makeSocket(c, libzmq.Dealer), makeSocket(c, libzmq.Router)
	must(libzmq.Bind(dealer, "inproc://dealer"))
	must(libzmq.Connect(router, "inproc://dealer"))
	must(send(dealer, "a", "b"))
	for libzmq.Events(router)&libzmq.EventIn == 0 {
	}
	must(libzmq.Disconnect(router, "inproc://dealer"))
	for {
		retry(func() int { rc, _ := libzmq.Recv(router, new(libzmq.Msg), make([]libzmq.Msg, 4), 0, 0); return rc })
	}
}

func abortRoutingID(t *testing.T) {
	const connectRoutingID = 61
	c := makeContext()
	s := makeSocket(c, libzmq.Router)
	for range 2 {
		must(libzmq.SetOption(s, connectRoutingID, []byte("A")))
		must(libzmq.Connect(s, "tcp://127.0.0.1:1"))
	}
}

// abortGuessedID takes the id that a ROUTER will make up for its next peer.
func abortGuessedID(t *testing.T) {
	const routingID = 5
	c := makeContext()
	router := makeSocket(c, libzmq.Router)
	endpoint := bindTCP(router)
	greet := func(id []byte) []byte {
		dealer := makeSocket(c, libzmq.Dealer)
		if id != nil {
			must(libzmq.SetOption(dealer, routingID, id))
		}
		must(libzmq.Connect(dealer, endpoint))
		must(send(dealer, "hello"))
		var m libzmq.Msg
		retry(func() int { rc, _ := libzmq.Recv(router, &m, make([]libzmq.Msg, 1), 0, 0); return rc })
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

func abortRawProbe(t *testing.T) {
	const routerRaw, probeRouter = 41, 51
	c := makeContext()
	pull, router := makeSocket(c, libzmq.Pull), makeSocket(c, libzmq.Router)
	setInt(router, routerRaw, 1)
	setInt(router, probeRouter, 1)
	must(libzmq.Connect(router, bindTCP(pull)))
	whileAlive()
}

// abortThreads runs without root's privilege to start threads beyond the limit. Go's runtime starts
// spare threads first, because it needs some to report the abort.
func abortThreads(t *testing.T) {
	testutil.StartThreads()
	if os.Getuid() == 0 {
		if err := syscall.Setuid(65534); err != nil {
			panic(err)
		}
	}
	const limitProcesses = 6 // RLIMIT_NPROC
	if err := syscall.Setrlimit(limitProcesses, &syscall.Rlimit{Cur: 1, Max: 1}); err != nil {
		panic(err)
	}
	libzmq.OpenSocket(makeContext(), libzmq.Push)
}

func abortImmediate(t *testing.T) {
	const immediate = 39
	c := makeContext()
	pull, push := makeSocket(c, libzmq.Pull), makeSocket(c, libzmq.Push)
	setInt(push, immediate, 1)
	must(libzmq.Connect(push, bindTCP(pull)))
	retry(func() int { return send(push, "connected") })
	setInt(push, immediate, 0)
	libzmq.CloseSocket(pull, 0, false)
	retry(func() int { libzmq.Events(push); return -int(syscall.EAGAIN) })
}

const (
	plainServer      = 44
	plainUsername    = 45
	plainPassword    = 46
	zapDomain        = 55
	zapEnforceDomain = 93
)

func connectPlain(c libzmq.Context, server libzmq.Socket) {
	client := makeSocket(c, libzmq.Push)
	must(libzmq.SetOption(client, plainUsername, []byte("u")))
	must(libzmq.SetOption(client, plainPassword, []byte("p")))
	must(libzmq.Connect(client, bindTCP(server)))
	whileAlive()
}

func abortZap(t *testing.T) {
	c := makeContext()
	must(libzmq.Bind(makeSocket(c, libzmq.Pair), "inproc://zeromq.zap.01"))
	server := makeSocket(c, libzmq.Pull)
	setInt(server, plainServer, 1)
	must(libzmq.SetOption(server, zapDomain, []byte("d")))
	connectPlain(c, server)
}

func abortPlainDomain(t *testing.T) {
	c := makeContext()
	must(libzmq.Bind(makeSocket(c, libzmq.Rep), "inproc://zeromq.zap.01"))
	server := makeSocket(c, libzmq.Pull)
	setInt(server, plainServer, 1)
	setInt(server, zapEnforceDomain, 1)
	connectPlain(c, server)
}

func abortMaxSockets(t *testing.T) {
	c := makeContext()
	must(libzmq.SetContextOption(c, libzmq.CtxMaxSockets, 1<<31-1))
	libzmq.OpenSocket(c, libzmq.Push)
}

func abortAffinity(t *testing.T) {
	const affinityAdd = 7
	c := makeContext()
	must(libzmq.SetContextOption(c, affinityAdd, 1000))
	libzmq.OpenSocket(c, libzmq.Push)
	whileAlive()
}

func abortDraftTypes(t *testing.T) {
	c := makeContext()
	server, client := makeSocket(c, libzmq.Server), makeSocket(c, libzmq.Client)
	must(libzmq.Connect(client, bindTCP(server)))
	must(send(client, "after the handshake"))
	var m libzmq.Msg
	retry(func() int { rc, _ := libzmq.Recv(server, &m, nil, 0, 0); return rc })
	m.Close()
	libzmq.CloseSocket(client, 0, false)
	libzmq.CloseSocket(server, 0, false)
	libzmq.Term(c)
}

func abortSettle(t *testing.T) {
	c := makeContext()
	must(libzmq.SetContextOption(c, libzmq.CtxMaxSockets, 1))
	must(libzmq.Connect(makeSocket(c, libzmq.Push), "inproc://unbound"))
	libzmq.Term(c)
}

// abortRepMandatory lets a requester take no replies.
func abortRepMandatory(t *testing.T) {
	const sendHWM, recvHWM, routerMandatory = 23, 24, 33
	c := makeContext()
	rep, dealer := makeSocket(c, libzmq.Rep), makeSocket(c, libzmq.Dealer)
	setInt(rep, routerMandatory, 1)
	setInt(rep, sendHWM, 1)
	setInt(dealer, recvHWM, 1)
	must(libzmq.Bind(rep, "inproc://rep"))
	must(libzmq.Connect(dealer, "inproc://rep"))
	var m libzmq.Msg
	for range 100 {
		retry(func() int { return send(dealer, "", "request") })
		retry(func() int { rc, _ := libzmq.Recv(rep, &m, nil, 0, 0); return rc })
		send(rep, "reply")
	}
}

func abortPendingInproc(t *testing.T) {
	c := makeContext()
	router := makeSocket(c, libzmq.Router)
	must(libzmq.Connect(router, "inproc://later"))
	must(libzmq.Disconnect(router, "inproc://later"))
	libzmq.Events(router)
	libzmq.Bind(makeSocket(c, libzmq.Dealer), "inproc://later")
}

// A PAIR takes the first of two who connected before, and turns the other away.
func abortPairTurnsAway(t *testing.T) {
	c := makeContext()
	for range 2 {
		must(libzmq.Connect(makeSocket(c, libzmq.Rep), "inproc://later"))
	}
	libzmq.Bind(makeSocket(c, libzmq.Pair), "inproc://later")
}

// A ROUTER gives the id of a connection that waits for its name to another one.
func abortHandover(t *testing.T) {
	const routingID = 5
	c := makeContext()
	router, dealer := makeSocket(c, libzmq.Router), makeSocket(c, libzmq.Dealer)
	setInt(router, libzmq.OptRouterHandover, 1)
	must(libzmq.SetOption(router, libzmq.OptConnectID, []byte("same")))
	must(libzmq.Connect(router, "inproc://later"))
	must(libzmq.SetOption(dealer, routingID, []byte("same")))
	must(libzmq.Bind(dealer, "inproc://now"))
	must(libzmq.Connect(router, "inproc://now"))
	must(send(dealer, "x"))
	var m libzmq.Msg
	for range 2 {
		libzmq.Recv(router, &m, make([]libzmq.Msg, 4), 0, 0)
	}
	libzmq.Bind(makeSocket(c, libzmq.Dealer), "inproc://later")
}

func abortConflatedName(t *testing.T) {
	c := makeContext()
	push := makeSocket(c, libzmq.Push)
	setInt(push, libzmq.OptConflate, 1)
	must(libzmq.Connect(push, "inproc://later"))
	must(libzmq.Disconnect(push, "inproc://later"))
	libzmq.Bind(makeSocket(c, libzmq.Pull), "inproc://later")
}

func abortWelcome(t *testing.T) {
	c := makeContext()
	sub, xpub := makeSocket(c, libzmq.Sub), makeSocket(c, libzmq.XPub)
	must(libzmq.SetOption(xpub, libzmq.OptXPubWelcome, []byte("hi")))
	must(libzmq.Connect(sub, "inproc://later"))
	must(libzmq.Disconnect(sub, "inproc://later"))
	libzmq.Events(sub)
	libzmq.Bind(xpub, "inproc://later")
}

func abortSubBinds(t *testing.T) {
	const subscribe, sndHWM = 6, 23
	c := makeContext()
	router, sub := makeSocket(c, libzmq.Router), makeSocket(c, libzmq.Sub)
	setInt(router, libzmq.OptRecvHWM, 1)
	setInt(sub, sndHWM, 1)
	for _, topic := range []string{"a", "b", "c", "d"} {
		must(libzmq.SetOption(sub, subscribe, []byte(topic)))
	}
	must(libzmq.Connect(router, "inproc://later"))
	libzmq.Bind(sub, "inproc://later")
}

func abortStreamInproc(t *testing.T) {
	c := makeContext()
	stream, dealer := makeSocket(c, libzmq.Stream), makeSocket(c, libzmq.Dealer)
	must(libzmq.Bind(stream, "inproc://stream"))
	must(libzmq.Connect(dealer, "inproc://stream"))
	must(send(dealer, "a", "b"))
	var m libzmq.Msg
	for {
		retry(func() int { rc, _ := libzmq.Recv(stream, &m, make([]libzmq.Msg, 4), 0, 0); return rc })
	}
}

func abortLongTopic(t *testing.T) {
	const subscribe = 6
	c := makeContext()
	s := makeSocket(c, libzmq.Sub)
	must(libzmq.SetOption(s, subscribe, make([]byte, 1<<20)))
	libzmq.CloseSocket(s, 0, false)
	libzmq.Term(c)
}

func abortSentTopic(t *testing.T) {
	c := makeContext()
	s := makeSocket(c, libzmq.XSub)
	topic := make([]byte, 1<<20)
	topic[0] = 1
	must(send(s, string(topic)))
	libzmq.CloseSocket(s, 0, false)
	libzmq.Term(c)
}
