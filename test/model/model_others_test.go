package model

import (
	"context"
	"syscall"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/zmq"
)

// newOther makes a socket of any type, with options that matter to what may happen.
func (m *model) newOther(t *rapid.T) {
	if len(m.others) >= mostOthers {
		panic(notNow{"enough"})
	}
	typ := rapid.SampledFrom([]zmq.SocketType{
		zmq.Pair, zmq.Pub, zmq.Sub, zmq.Req, zmq.Rep, zmq.Dealer, zmq.Router, zmq.Pull, zmq.Push, zmq.XPub, zmq.XSub, zmq.Stream,
	}).Draw(t, "type")
	s := noErr(m.c.NewSocket(typ, zmq.Linger.To(0)))(t)
	n := &node{s: s}
	m.others = append(m.others, n)
	hwm := rapid.IntRange(2, 5).Draw(t, "HWM")
	for _, setting := range []zmq.Setting{
		zmq.SendHWM.To(hwm), zmq.RecvHWM.To(hwm), zmq.RouterMandatory.To(true), zmq.ProbeRouter.To(true), zmq.RouterHandover.To(true),
		zmq.ReqRelaxed.To(true), zmq.ReqCorrelate.To(true), zmq.XPubNoDrop.To(true), zmq.XPubVerbose.To(true), zmq.XPubManual.To(true),
		zmq.InvertMatching.To(true), zmq.Immediate.To(true), zmq.StreamNotify.To(false), zmq.RouterRaw.To(true), zmq.ReadAhead.To(3),
		zmq.RoutingID.To([]byte("same")), zmq.ConnectRoutingID.To([]byte("same")), zmq.HandshakeInterval.To(time.Millisecond),
		zmq.XPubWelcomeMessage.To([]byte("welcome")), zmq.XPubVerboser.To(true), zmq.ReconnectInterval.To(time.Millisecond), zmq.Backlog.To(1),
		zmq.HelloMessage.To([]byte("hello")), zmq.DisconnectMessage.To([]byte("bye")), zmq.RouterNotify.To(3), zmq.XPubManualLastValue.To(true),
		zmq.OnlyFirstSubscribe.To(true), zmq.XSubVerboseUnsubscribe.To(true), zmq.SendTimeout.To(time.Millisecond), zmq.MaxMessageSize.To(100),
	} {
		if rapid.IntRange(0, 5).Draw(t, "set") == 0 {
			m.allow(t, s.Set(setting), syscall.EINVAL, zmq.ErrNotSupported)
		}
	}
}

func (m *model) other(t *rapid.T) *node {
	return one(t, m.others, func(n *node) bool { return !n.closed })
}

const enofit = syscall.Errno(libzmq.ENOCOMPATPROTO)

// attach binds or connects, also to endpoints that are bound already and to endpoints that are not
// bound.
func (m *model) attach(t *rapid.T) {
	n := m.other(t)
	fresh := modelEndpoint(t)
	if len(m.endpoints) > 0 && rapid.Bool().Draw(t, "a known one") {
		fresh = rapid.SampledFrom(m.endpoints).Draw(t, "endpoint")
	}
	allowed := []error{syscall.EADDRINUSE, syscall.EINVAL, syscall.EPROTONOSUPPORT, enofit, syscall.ENOENT}
	// ENOENT: libzmq has removed the directory that it had made for ipc://*.
	if rapid.Bool().Draw(t, "bind") {
		if err := n.s.Bind(fresh); err != nil {
			m.allow(t, err, allowed...)
			return
		}
		at := noErr(n.s.LastEndpoint())(t)
		m.endpoints = append(m.endpoints, at)
		return
	}
	err := n.s.Connect(fresh)
	m.allow(t, err, allowed...)
	if err == nil {
		m.endpoints = append(m.endpoints, fresh)
	}
}

func (m *model) detach(t *rapid.T) {
	n := m.other(t)
	if len(m.endpoints) == 0 {
		panic(notNow{"nothing is attached"})
	}
	at := rapid.SampledFrom(m.endpoints).Draw(t, "endpoint")
	if rapid.Bool().Draw(t, "unbind") {
		m.allow(t, n.s.Unbind(at), syscall.ENOENT, syscall.EINVAL, syscall.EPROTONOSUPPORT)
		return
	}
	m.allow(t, n.s.Disconnect(at), syscall.ENOENT, syscall.EINVAL, syscall.EPROTONOSUPPORT)
}

func (m *model) otherSend(t *rapid.T) {
	n := m.other(t)
	parts := [][]byte{rapid.SampledFrom([][]byte{{}, []byte("same"), {1}, {0}, {1, 'a'}, m.content(t)}).Draw(t, "first")}
	for range rapid.IntRange(0, 3).Draw(t, "more") {
		parts = append(parts, m.content(t))
	}
	var err error
	switch rapid.IntRange(0, 4).Draw(t, "way") {
	case 0:
		err = n.s.Send(context.Background(), parts[0], zmq.SendMore)
	case 1:
		n.s.DiscardParts()
	case 2:
		if n.s.Type() == zmq.Sub {
			err = n.s.Subscribe(string(parts[0]))
		} else {
			err = n.s.Send(context.Background(), parts[0], zmq.DontWait)
		}
	default:
		err = n.s.SendMultipart(context.Background(), parts, zmq.DontWait)
	}
	m.allow(t, err, zmq.ErrAgain, zmq.ErrNotSupported, zmq.ErrState, zmq.ErrHostUnreachable, syscall.EINVAL)
}

func (m *model) otherReceive(t *rapid.T) {
	n := m.other(t)
	var err error
	switch rapid.IntRange(0, 3).Draw(t, "way") {
	case 0:
		_, err = n.s.RecvBytes(context.Background(), zmq.DontWait)
	case 1:
		_, err = n.s.RecvMultipart(context.Background(), zmq.DontWait)
	case 2:
		b := zmq.NewBatch(3)
		_, err = n.s.RecvBatch(context.Background(), b, zmq.DontWait)
		require.NoError(t, b.Close())
	case 3:
		_ = n.s.Options()
		_ = n.s.Stats()
		_ = n.s.Stats().Connections
	}
	m.allow(t, err, zmq.ErrAgain, zmq.ErrNotSupported, zmq.ErrState)
}
