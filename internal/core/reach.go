package core

import (
	"math"
	"sync/atomic"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Inside is embedded in the types of package zmq through an unexported name. Of returns
// its value. Neither the array nor its method adds a name that users of zmq can write.
type Inside[T any] [1]T

func (i *Inside[T]) inside() *T { return &i[0] }

// Of returns the value inside x: the *Socket of a *zmq.Socket, the libzmq.Msg of a
// *zmq.Message, or the cause of a *zmq.Error. x must not be nil.
func Of[T any](x interface{ inside() *T }) *T { return x.inside() }

// BareRouter makes Context.NewSocket create a ROUTER without SocketDefaults, for go-zmq's
// own purposes.
const BareRouter = math.MinInt32 + libzmq.Router

// watchSend is called with watched buffers before they are sent.
var watchSend atomic.Pointer[func(b *libzmq.Buffer, content []byte)]

// WatchSends sets the function that is called with a watched buffer and its content
// before a send, on the sending goroutine.
func WatchSends(f func(b *libzmq.Buffer, content []byte)) { watchSend.Store(&f) }

// watched calls watchSend for a message that is about to be sent, if its buffer is
// watched. It returns the buffer, or nil if it is not watched.
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

// watchIdle returns the line that put a message into a pool.
var watchIdle atomic.Pointer[func(*libzmq.Msg) string]

// WatchIdle sets the function that is called when a message that waits in a pool is used.
// The function returns the line that put the message there, or "" if it does not know.
func WatchIdle(f func(*libzmq.Msg) string) { watchIdle.Store(&f) }

// WherePut returns " at " and the line that put an idle message into its pool, or "".
func WherePut(m *libzmq.Msg) string {
	if f := watchIdle.Load(); f != nil {
		if line := (*f)(m); line != "" {
			return " at " + line
		}
	}
	return ""
}
