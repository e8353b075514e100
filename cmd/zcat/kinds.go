package main

import (
	"slices"
	"strings"

	"github.com/go-zmq/go-zmq/zmq"
)

// A way is what a socket type does with messages.
type way int

const (
	sends    way = 1 << iota // only sends
	receives                 // only receives
	requests                 // sends, then receives
	replies                  // receives, then sends
	both                     // sends and receives independently
)

// A kind is a socket type as a command.
type kind struct {
	typ     zmq.SocketType
	way     way
	address string // what the address of a message is called, if it has one
	does    string
}

func (k kind) name() string { return strings.ToLower(k.typ.String()) }

const routingID = "routing id"

var kinds = []kind{
	{zmq.Sub, receives, "", "print what is published on the topics of -t"},
	{zmq.Pub, sends, "", "publish, once there is a subscriber"},
	{zmq.Req, requests, "", "send requests, print the replies"},
	{zmq.Rep, replies, "", "print requests, answer them"},
	{zmq.Push, sends, "", "send to one peer after the other"},
	{zmq.Pull, receives, "", "print what is pushed"},
	{zmq.Dealer, both, "", "send and print"},
	{zmq.Router, both, routingID, "send and print, with the routing id of the peer"},
	{zmq.Pair, both, "", "send to and print from one peer"},
	{zmq.XPub, both, "", "publish, and print subscriptions"},
	{zmq.XSub, both, "", "send subscriptions (\\x01 and a topic), and print"},
	{zmq.Stream, both, routingID, "send and print bytes over plain TCP"},
	{zmq.Server, both, routingID, "as router, for clients (draft)"},
	{zmq.Client, both, "", "send to and print from a server (draft)"},
	{zmq.Radio, sends, "group", "send to the group of --to (draft)"},
	{zmq.Dish, receives, "group", "print what is sent to the groups of -t (draft)"},
	{zmq.Scatter, sends, "", "as push (draft)"},
	{zmq.Gather, receives, "", "as pull (draft)"},
	{zmq.Dgram, both, "address", "send and print UDP datagrams (draft)"},
	{zmq.Peer, both, routingID, "as server, for peers of each other (draft)"},
	{zmq.Channel, both, "", "as pair (draft)"},
}

func typeNames() (names []string) {
	for _, k := range kinds {
		names = append(names, k.name())
	}
	return names
}

// kindNamed returns the kind of a socket type.
func kindNamed(name string) (kind, error) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name() == strings.ToLower(name) })
	if i < 0 {
		return kind{}, usage("there is no socket type %q; the types are %s", name, strings.Join(typeNames(), ", "))
	}
	return kinds[i], nil
}

// kindFor returns the kind of a socket type if it can be used in that way.
func kindFor(command, name string, w way) (kind, error) {
	k, err := kindNamed(name)
	if err == nil && k.way != w && k.way != both {
		err = usage("a %s cannot %s; record needs a type that receives, such as sub, pull or dealer, and replay one that sends, such as pub, push or dealer", k.typ, command)
	}
	return k, err
}
