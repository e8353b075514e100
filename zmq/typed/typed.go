// Package typed has a constructor and a type for each type of socket, so that the
// compiler refuses what the type cannot do: a [Sub] has no Send, a [Push] no Recv.
//
//	sub, err := typed.NewSub(ctx, zmq.Subscribe.To("weather"))
//	...
//	err = sub.Connect("tcp://127.0.0.1:5555")
//	...
//	news, err := sub.RecvString()
//
// The types of the draft API fail to be made, with zmq.ErrNotSupported, where libzmq
// lacks it.
//
// The types are interfaces with methods of *zmq.Socket, which is what is behind them:
// s.(*zmq.Socket) is for packages that want that, such as poller, and for methods that
// are not listed here. The goroutine rule is that of zmq.Socket: any goroutine may call
// any method. A function of your own that only receives can ask for a [Receiver].
package typed

import (
	"context"
	"iter"

	"github.com/go-zmq/go-zmq/zmq"
)

// Endpoint is what every socket has. Any goroutine may use it.
type Endpoint interface {
	Type() zmq.SocketType
	Bind(endpoint string) error
	BindAny(endpoint string) (bound string, err error)
	BindRange(prefix string, first, last int) (bound string, err error)
	Connect(endpoint string) error
	ConnectContext(ctx context.Context, endpoint string) error
	Unbind(endpoint string) error
	Disconnect(endpoint string) error
	Attach(endpoints string) error
	LastEndpoint() (string, error)
	Set(settings ...zmq.Setting) error
	Options() map[string]any
	Monitor(events zmq.MonitorEvents) (*zmq.Monitor, error)
	WaitConnected(ctx context.Context, peers int) error
	Stats() zmq.Stats
	Close() error
}

// Sender is what sockets have that send. Any goroutine may use it.
type Sender interface {
	Send(part []byte, flags ...zmq.Flag) error
	SendContext(ctx context.Context, part []byte, flags ...zmq.Flag) error
	SendString(part string, flags ...zmq.Flag) error
	SendStringContext(ctx context.Context, part string, flags ...zmq.Flag) error
	SendJSON(v any, flags ...zmq.Flag) error
	SendJSONContext(ctx context.Context, v any, flags ...zmq.Flag) error
	SendMultipart(parts [][]byte, flags ...zmq.Flag) error
	SendMultipartContext(ctx context.Context, parts [][]byte, flags ...zmq.Flag) error
	SendMessage(m *zmq.Message, flags ...zmq.Flag) error
	SendMessageContext(ctx context.Context, m *zmq.Message, flags ...zmq.Flag) error
	SendMultipartMessage(p zmq.Multipart, flags ...zmq.Flag) error
	SendMultipartMessageContext(ctx context.Context, p zmq.Multipart, flags ...zmq.Flag) error
	SendBatch(b *zmq.Batch, flags ...zmq.Flag) (sent int, err error)
	SendBatchContext(ctx context.Context, b *zmq.Batch, flags ...zmq.Flag) (sent int, err error)
	SendChan(ctx context.Context) *zmq.SendChan
	DiscardParts() int
}

// Receiver is what sockets have that receive. Any goroutine may use it.
type Receiver interface {
	Recv(buf []byte, flags ...zmq.Flag) (n int, err error)
	RecvContext(ctx context.Context, buf []byte, flags ...zmq.Flag) (n int, err error)
	RecvBytes(flags ...zmq.Flag) ([]byte, error)
	RecvBytesContext(ctx context.Context, flags ...zmq.Flag) ([]byte, error)
	RecvString(flags ...zmq.Flag) (string, error)
	RecvStringContext(ctx context.Context, flags ...zmq.Flag) (string, error)
	RecvJSON(v any, flags ...zmq.Flag) error
	RecvJSONContext(ctx context.Context, v any, flags ...zmq.Flag) error
	RecvMultipart(flags ...zmq.Flag) ([][]byte, error)
	RecvMultipartContext(ctx context.Context, flags ...zmq.Flag) ([][]byte, error)
	RecvMessage(m *zmq.Message, flags ...zmq.Flag) error
	RecvMessageContext(ctx context.Context, m *zmq.Message, flags ...zmq.Flag) error
	RecvMultipartMessage(p *zmq.Multipart, flags ...zmq.Flag) error
	RecvMultipartMessageContext(ctx context.Context, p *zmq.Multipart, flags ...zmq.Flag) error
	RecvBatch(b *zmq.Batch, flags ...zmq.Flag) (n int, err error)
	RecvBatchContext(ctx context.Context, b *zmq.Batch, flags ...zmq.Flag) (n int, err error)
	RecvMore() bool
	RecvChan(ctx context.Context) *zmq.RecvChan
	Messages(ctx context.Context) iter.Seq2[zmq.Multipart, error]
	Ready() <-chan struct{}
	WaitReadable(ctx context.Context) error
}

// Both is what sockets have that send and receive. Any goroutine may use it.
type Both interface {
	Endpoint
	Sender
	Receiver
}

// The types of sockets that can do the same are the same to the compiler, except for
// those that can do more. Any goroutine may use any of them.
type (
	Pair   interface{ Both }
	Req    interface{ Both }
	Rep    interface{ Both }
	Dealer interface{ Both }
	XSub   interface{ Both } // subscribes by sending
	Stream interface {
		Both
		SendMessageTo(routingID []byte, m *zmq.Message, flags ...zmq.Flag) error
		SendMessageToContext(ctx context.Context, routingID []byte, m *zmq.Message, flags ...zmq.Flag) error
	}
	Router interface {
		Both
		SendMessageTo(routingID []byte, m *zmq.Message, flags ...zmq.Flag) error
		SendMessageToContext(ctx context.Context, routingID []byte, m *zmq.Message, flags ...zmq.Flag) error
		PeerWritable(routingID []byte) (bool, error)
	}
	Push interface {
		Endpoint
		Sender
	}
	Pull interface {
		Endpoint
		Receiver
	}
	Pub interface {
		Endpoint
		Sender
		WaitSubscribers(ctx context.Context, n int) error
		Dropped() uint64
	}
	XPub interface {
		Both
		WaitSubscribers(ctx context.Context, n int) error
		Dropped() uint64
	}
	Sub interface {
		Endpoint
		Receiver
		Subscribe(topic string) error
		Unsubscribe(topic string) error
		Topics() []string
	}
)
