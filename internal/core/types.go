package core

import (
	"strconv"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

var typeNames = [...]string{
	"PAIR", "PUB", "SUB", "REQ", "REP", "DEALER", "ROUTER", "PULL", "PUSH", "XPUB", "XSUB", "STREAM",
	"SERVER", "CLIENT", "RADIO", "DISH", "GATHER", "SCATTER", "DGRAM", "PEER", "CHANNEL",
}

// TypeName returns libzmq's name of a socket type.
func TypeName(socketType int) string {
	if socketType < 0 || socketType >= len(typeNames) {
		return "socket type " + strconv.Itoa(socketType)
	}
	return typeNames[socketType]
}

func socketName(socketType int, endpoint string) string {
	if endpoint == "" {
		return TypeName(socketType)
	}
	return TypeName(socketType) + " " + endpoint
}

// CanSend reports whether a socket type sends messages.
func CanSend(socketType int) bool {
	switch socketType {
	case libzmq.Pull, libzmq.Sub, libzmq.Gather, libzmq.Dish:
		return false
	}
	return true
}

// CanReceive reports whether a socket type receives messages.
func CanReceive(socketType int) bool {
	switch socketType {
	case libzmq.Push, libzmq.Pub, libzmq.Scatter, libzmq.Radio:
		return false
	}
	return true
}

// lockStep reports whether a socket type sends and receives in turn.
func lockStep(socketType int) bool { return socketType == libzmq.Req || socketType == libzmq.Rep }

// subscribes reports whether a socket type sends subscriptions. When the publisher goes
// away, libzmq sends them again, for the next publisher at that endpoint. So they would
// linger if a publisher never existed, or if it is closed before its subscribers, as
// happens while a context is closed. They are not worth that. libzmq's own default for
// these types is 0.
func subscribes(socketType int) bool {
	return socketType == libzmq.Sub || socketType == libzmq.XSub || socketType == libzmq.Dish
}
