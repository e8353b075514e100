// Package rules has the facts about socket types and options that go-zmq acts on: what a type
// can do, which options of a socket are on, and which messages it must not send. It calls
// nothing of libzmq, and knows no socket.
package rules

import (
	"strconv"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Type is libzmq's number of a socket type.
type Type int

// traits are what a type does, one bit each.
type traits uint16

const (
	sends    traits = 1 << iota
	receives        // messages
	inTurn          // sends and receives alternate
	// Sends subscriptions. When the publisher goes away, libzmq sends them again, for the next
	// publisher at that endpoint. They would therefore linger if a publisher never existed, or
	// if it is closed before its subscribers, as happens while a context is closed. That is of
	// no use, and libzmq's own default for these types is not to linger.
	subscribes
	onePeer     // has at most one peer
	namesPeer   // takes the first message of a peer for its routing id
	peerFull    // a send waits, or fails, while the queue of its one peer is full
	readsAtOnce // begins to read a message when ZMQ_EVENTS is read
	inOrder     // a receive can matter to what comes next, so that nothing may be read ahead
	checked     // refuses some messages that libzmq would take
)

// types is the table of the socket types, in the order of libzmq's numbers.
var types = [...]struct {
	name string
	traits
	flags int // for the shims on each call
}{
	libzmq.Pair:    {"PAIR", sends | receives | onePeer, libzmq.NoFinish},
	libzmq.Pub:     {"PUB", sends, libzmq.Inexact},
	libzmq.Sub:     {"SUB", receives | subscribes | readsAtOnce, 0},
	libzmq.Req:     {"REQ", sends | receives | inTurn | inOrder, 0},
	libzmq.Rep:     {"REP", sends | receives | inTurn | namesPeer | readsAtOnce | inOrder, 0},
	libzmq.Dealer:  {"DEALER", sends | receives, 0},
	libzmq.Router:  {"ROUTER", sends | receives | namesPeer | peerFull | readsAtOnce, libzmq.Inexact},
	libzmq.Pull:    {"PULL", receives, 0},
	libzmq.Push:    {"PUSH", sends, 0},
	libzmq.XPub:    {"XPUB", sends | receives | inOrder, libzmq.Inexact | libzmq.Upstream},
	libzmq.XSub:    {"XSUB", sends | receives | subscribes | readsAtOnce | checked, 0},
	libzmq.Stream:  {"STREAM", sends | receives | peerFull | readsAtOnce | inOrder | checked, libzmq.Inexact | libzmq.Copy}, // Copy: it loses data if the peer leaves after the id
	libzmq.Server:  {"SERVER", sends | receives | peerFull | inOrder | checked, libzmq.Inexact},
	libzmq.Client:  {"CLIENT", sends | receives | inOrder | checked, 0},
	libzmq.Radio:   {"RADIO", sends | inOrder | checked, libzmq.Inexact},
	libzmq.Dish:    {"DISH", receives | subscribes | readsAtOnce | inOrder | checked, 0},
	libzmq.Gather:  {"GATHER", receives | inOrder | checked, 0},
	libzmq.Scatter: {"SCATTER", sends | inOrder | checked, 0},
	libzmq.Dgram:   {"DGRAM", sends | receives | inOrder | checked, libzmq.Fragile},
	libzmq.Peer:    {"PEER", sends | receives | peerFull | inOrder | checked, libzmq.Inexact},
	libzmq.Channel: {"CHANNEL", sends | receives | onePeer | inOrder | checked, libzmq.NoFinish},
}

func (t Type) has(trait traits) bool { return uint(t) < uint(len(types)) && types[t].traits&trait != 0 }

// String returns libzmq's name of the type.
func (t Type) String() string {
	if uint(t) < uint(len(types)) {
		return types[t].name
	}
	return "socket type " + strconv.Itoa(int(t))
}

// Flags returns the flags for the shims on each call.
func (t Type) Flags() int {
	if uint(t) < uint(len(types)) {
		return types[t].flags
	}
	return 0
}

// Sends reports whether the type sends messages.
func (t Type) Sends() bool { return t.has(sends) }

// Receives reports whether the type receives messages.
func (t Type) Receives() bool { return t.has(receives) }

// InTurn reports whether sends and receives alternate: REQ and REP.
func (t Type) InTurn() bool { return t.has(inTurn) }

// Subscribes reports whether the type sends subscriptions: SUB, XSUB and DISH.
func (t Type) Subscribes() bool { return t.has(subscribes) }

// OnePeer reports whether the type has at most one peer: PAIR and CHANNEL.
func (t Type) OnePeer() bool { return t.has(onePeer) }

// NamesPeers reports whether the type takes the first message of a peer for its routing id:
// ROUTER and REP.
func (t Type) NamesPeers() bool { return t.has(namesPeer) }

// SendsToOne reports whether each message is for one peer that the program names, so that a
// send can wait for the queue of that peer: ROUTER, STREAM, SERVER and PEER.
func (t Type) SendsToOne() bool { return t.has(peerFull) }

// ReadsAtOnce reports whether libzmq begins to read a message when ZMQ_EVENTS is read.
func (t Type) ReadsAtOnce() bool { return t.has(readsAtOnce) }

// ReadsFreely reports whether reading ahead changes nothing that the program can see. REQ and
// REP receive in turn, an XPUB with XPubManual subscribes to the topic that its last message
// named, a STREAM counts its connections by its messages, and the draft types have rules of
// their own.
func (t Type) ReadsFreely() bool { return !t.has(inOrder) }

// Checked reports whether the type refuses some messages that libzmq would take.
func (t Type) Checked() bool { return t.has(checked) }
