package core

import (
	"os"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/park"
	"github.com/go-zmq/go-zmq/internal/rules"
)

func newSocket(c *Context, handle libzmq.Socket, socketType int, track bool) *Socket {
	s := &Socket{shared: shared{ctx: c, typ: rules.Type(socketType), done: make(chan struct{})}}
	s.names, s.pairs = map[string]struct{}{}, map[*inprocPair]struct{}{}
	s.peers.Raw.Store(socketType == libzmq.Stream)
	h := s.lock.Lock()
	defer s.lock.Unlock()
	h.shared, h.sock, h.lock, h.special = &s.shared, s, &s.lock, new(special)
	h.init(handle, track)
	return s
}

// init prepares the state of a new socket.
func (s *held) init(handle libzmq.Socket, track bool) {
	s.handle, s.fdNum, s.pollable = handle, -1, true
	s.limit, s.spinTime = [2]time.Duration{-1, -1}, park.Adaptive
	s.linger = DefaultLinger
	if s.typ.Subscribes() {
		s.linger, s.lingerSet = 0, true
	}
	s.in.Init()
	if track {
		s.subs = &subscriptions{pub: s.typ == libzmq.Pub}
	}
	s.flags = s.typ.Flags()
	s.udp = s.typ == libzmq.Dgram
	if s.flags&libzmq.Inexact != 0 {
		s.crowd = new(crowd)
	}
	if s.typ >= libzmq.Server && libzmq.GetInt(handle, libzmq.OptThreadSafe) > 0 {
		s.pollable = false
		s.reserve, _ = os.Open(os.DevNull)
		if s.reserve == nil {
			s.reserve, _ = os.Open("/") // an image from scratch has no devices
		}
	}
	s.classify()
}
