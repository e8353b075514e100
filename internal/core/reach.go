package core

import (
	"sync/atomic"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// MessageOf returns what a *zmq.Message holds. Package zmq sets it: the packages
// beside it stand on what is in here, and not on its fields.
var MessageOf func(message any) *libzmq.Msg

// SocketOf returns what a *zmq.Socket stands on, nil if there is none. Package zmq
// sets it.
var SocketOf func(socket any) *Socket

// WrapError makes a *zmq.Error of what core or a context.Context says; nil stays nil.
// Package zmq sets it.
var WrapError func(op string, err error) error

// NewError makes a *zmq.Error of its parts. cause is what errors.Is finds besides the
// number; it may be nil. Package zmq sets it.
var NewError func(op string, errno syscall.Errno, detail string, cause error) error

// watchSend is told of watched buffers before they are sent.
var watchSend atomic.Pointer[func(b *libzmq.Buffer, content []byte)]

// WatchSends sets the function that is called with a watched buffer and its
// content before a send, on the sending goroutine.
func WatchSends(f func(b *libzmq.Buffer, content []byte)) { watchSend.Store(&f) }

// watched tells of a message that is about to be sent, if its buffer is watched,
// and returns that.
func watched(m *libzmq.Msg) *libzmq.Buffer {
	b, unseen := m.Lent()
	if !unseen || b == nil || b.Watched == 0 {
		return nil
	}
	if f := watchSend.Load(); f != nil {
		(*f)(b, m.Bytes())
	}
	return b
}

// watchIdle says where a message that waits in a pool was put.
var watchIdle atomic.Pointer[func(*libzmq.Msg) string]

// WatchIdle sets the function that is asked, when a message that waits in a pool
// is used, where it was put; it answers "" if it does not know.
func WatchIdle(f func(*libzmq.Msg) string) { watchIdle.Store(&f) }

// WherePut returns " at " and the line at which an idle message was put, or "".
func WherePut(m *libzmq.Msg) string {
	if f := watchIdle.Load(); f != nil {
		if line := (*f)(m); line != "" {
			return " at " + line
		}
	}
	return ""
}
