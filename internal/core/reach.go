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

// Watch has the functions of a pool that reports misuse.
type Watch struct {
	Send func(b *libzmq.Buffer, content []byte) // called before watched content is sent
	Idle func(*libzmq.Msg) string               // returns the line that put an idle message there, or ""
}

var poolWatch atomic.Pointer[Watch]

// SetWatch makes the sends and the uses of idle messages call w.
func SetWatch(w *Watch) { poolWatch.Store(w) }

// watched calls Watch.Send for a message that is about to be sent, if its buffer is
// watched. It returns the buffer, or nil if it is not watched.
func watched(m *libzmq.Msg) *libzmq.Buffer {
	b, unseen := m.Lent()
	if !unseen || b == nil || b.Watched == 0 {
		return nil
	}
	if w := poolWatch.Load(); w != nil {
		w.Send(b, m.Bytes())
	}
	return b
}

// WherePut returns " at " and the line that put an idle message into its pool, or "".
func WherePut(m *libzmq.Msg) string {
	if w := poolWatch.Load(); w != nil {
		if line := w.Idle(m); line != "" {
			return " at " + line
		}
	}
	return ""
}
