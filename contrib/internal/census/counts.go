package census

import "github.com/go-zmq/go-zmq/zmq"

// A Count is one number that collectors export.
type Count struct {
	Words []string // of its name, without unit and prefix: sent messages
	Help  string
	Gauge bool   // it goes up and down
	Cause string // of a drop; empty: none
	Value func(zmq.Stats) uint64
}

// Counts are all counts of a socket, one for each field of zmq.Stats except Dropped, which is the
// sum of two others.
var Counts = []Count{
	{Words: words("sent", "messages"), Help: "Messages that libzmq has accepted.", Value: func(s zmq.Stats) uint64 { return s.MessagesSent }},
	{Words: words("sent", "parts"), Help: "Parts of the messages sent.", Value: func(s zmq.Stats) uint64 { return s.PartsSent }},
	{Words: words("sent", "bytes"), Help: "Bytes of the messages sent, without framing.", Value: func(s zmq.Stats) uint64 { return s.BytesSent }},
	{Words: words("received", "messages"), Help: "Messages that calls have returned.", Value: func(s zmq.Stats) uint64 { return s.MessagesReceived }},
	{Words: words("received", "parts"), Help: "Parts of the messages received.", Value: func(s zmq.Stats) uint64 { return s.PartsReceived }},
	{Words: words("received", "bytes"), Help: "Bytes of the messages received, without framing.", Value: func(s zmq.Stats) uint64 { return s.BytesReceived }},
	{Words: words("send", "waits"), Help: "Sends that blocked.", Value: func(s zmq.Stats) uint64 { return s.SendWaits }},
	{Words: words("receive", "waits"), Help: "Receives that blocked.", Value: func(s zmq.Stats) uint64 { return s.RecvWaits }},
	{Words: words("send", "refusals"), Help: "Sends that would have blocked, with DontWait or the policy Fail.", Value: func(s zmq.Stats) uint64 { return s.SendWouldBlock }},
	{Words: words("receive", "refusals"), Help: "Receives that would have blocked, with DontWait.", Value: func(s zmq.Stats) uint64 { return s.RecvWouldBlock }},
	{Words: words("send", "waits", "without", "peers"), Help: "Sends that blocked while no peer was connected.", Value: func(s zmq.Stats) uint64 { return s.SendWaitsNoPeer }},
	{Words: words("send", "refusals", "without", "peers"), Help: "Sends that would have blocked while no peer was connected.", Value: func(s zmq.Stats) uint64 { return s.SendWouldBlockNoPeer }},
	{Words: words("dropped", "messages"), Help: droppedHelp, Cause: "full", Value: func(s zmq.Stats) uint64 { return s.DroppedFull }},
	{Words: words("dropped", "messages"), Help: droppedHelp, Cause: "unknown_peer", Value: func(s zmq.Stats) uint64 { return s.DroppedUnknown }},
	{Words: words("reconnects"), Help: "Outgoing connections, without the first one to each endpoint.", Value: func(s zmq.Stats) uint64 { return s.Reconnects }},
	{Words: words("peers"), Help: "Current connections whose handshake is complete.", Gauge: true, Value: func(s zmq.Stats) uint64 { return uint64(s.Connections) }},
	{Words: words("read", "ahead", "parts"), Help: "Parts that sockets hold for later receives.", Gauge: true, Value: func(s zmq.Stats) uint64 { return uint64(s.ReadAhead) }},
	{Words: words("waiting", "goroutines"), Help: "Goroutines that are blocked on sockets.", Gauge: true, Value: func(s zmq.Stats) uint64 { return uint64(s.Waiting) }},
}

// droppedHelp describes all counts of dropped messages.
const droppedHelp = "Messages that the socket dropped, by cause."

func words(w ...string) []string { return w }
