// Package inbox holds the parts of messages that were taken from a libzmq socket and that the
// program has not received yet: the rest of a message that is being received part by part,
// messages that were read ahead, and messages that were taken out or given back.
//
// A Queue knows libzmq's handle only as an argument of the calls that receive from it. It has
// no lock and never waits; its owner serializes the calls, and wakes whoever can receive what
// a call has left in the queue (rule R6 of package core).
//
// Only whole messages are taken from libzmq, because it aborts if a connection ends between
// two parts of one.
package inbox
