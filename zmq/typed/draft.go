package typed

import (
	"context"
	"iter"
	"net/netip"

	"github.com/go-zmq/go-zmq/zmq"
)

// Messages of the draft types have one part, so the types lack what is about several;
// those of a DGRAM have two, an address and a datagram.

// PartSender is what sockets have that send messages of one part to whom they choose
// themselves. Any goroutine may use it.
type PartSender interface {
	Send(part []byte, flags ...zmq.Flag) error
	SendContext(ctx context.Context, part []byte, flags ...zmq.Flag) error
	SendString(part string, flags ...zmq.Flag) error
	SendStringContext(ctx context.Context, part string, flags ...zmq.Flag) error
	SendJSON(v any, flags ...zmq.Flag) error
	SendJSONContext(ctx context.Context, v any, flags ...zmq.Flag) error
	SendChan(ctx context.Context) *zmq.SendChan
	MessageSender
}

// MessageSender is what sockets have that send native messages of one part; those for
// a SERVER, PEER or RADIO say whom they are for (zmq.Message.SetRoutingID, SetGroup,
// zmq.Batch.AppendTo, AppendGroup). Any goroutine may use it.
type MessageSender interface {
	SendMessage(m *zmq.Message, flags ...zmq.Flag) error
	SendMessageContext(ctx context.Context, m *zmq.Message, flags ...zmq.Flag) error
	SendBatch(b *zmq.Batch, flags ...zmq.Flag) (sent int, err error)
	SendBatchContext(ctx context.Context, b *zmq.Batch, flags ...zmq.Flag) (sent int, err error)
}

// PartReceiver is what sockets have that receive messages of one part. Any goroutine
// may use it.
type PartReceiver interface {
	Recv(buf []byte, flags ...zmq.Flag) (n int, err error)
	RecvContext(ctx context.Context, buf []byte, flags ...zmq.Flag) (n int, err error)
	RecvBytes(flags ...zmq.Flag) ([]byte, error)
	RecvBytesContext(ctx context.Context, flags ...zmq.Flag) ([]byte, error)
	RecvString(flags ...zmq.Flag) (string, error)
	RecvStringContext(ctx context.Context, flags ...zmq.Flag) (string, error)
	RecvJSON(v any, flags ...zmq.Flag) error
	RecvJSONContext(ctx context.Context, v any, flags ...zmq.Flag) error
	MessageReceiver
}

// MessageReceiver is what sockets have that receive native messages, or wait for them.
// Any goroutine may use it.
type MessageReceiver interface {
	RecvMessage(m *zmq.Message, flags ...zmq.Flag) error
	RecvMessageContext(ctx context.Context, m *zmq.Message, flags ...zmq.Flag) error
	RecvBatch(b *zmq.Batch, flags ...zmq.Flag) (n int, err error)
	RecvBatchContext(ctx context.Context, b *zmq.Batch, flags ...zmq.Flag) (n int, err error)
	RecvChan(ctx context.Context) *zmq.RecvChan
	Messages(ctx context.Context) iter.Seq2[zmq.Multipart, error]
	Ready() <-chan struct{}
	WaitReadable(ctx context.Context) error
}

// Addressed is what sockets have that know their peers by routing ids. Any goroutine
// may use it.
type Addressed interface {
	SendTo(routingID uint32, part []byte, flags ...zmq.Flag) error
	SendToContext(ctx context.Context, routingID uint32, part []byte, flags ...zmq.Flag) error
	RecvFrom(buf []byte, flags ...zmq.Flag) (n int, routingID uint32, err error)
	RecvFromContext(ctx context.Context, buf []byte, flags ...zmq.Flag) (n int, routingID uint32, err error)
	DisconnectPeer(routingID uint32) error
	MessageSender
	PartReceiver
}

// The types of sockets of libzmq's draft API. Where libzmq lacks that (zmq.Has("draft")),
// their constructors fail with zmq.ErrNotSupported. Any goroutine may use any of them.
type (
	// Client talks to a Server.
	Client interface {
		Endpoint
		PartSender
		PartReceiver
	}
	// Server answers the clients that it hears from, by their routing ids.
	Server interface {
		Endpoint
		Addressed
	}
	// Peer is a Server that can also begin.
	Peer interface {
		Endpoint
		Addressed
		ConnectPeer(endpoint string) (routingID uint32, err error)
	}
	// Channel is for two sockets.
	Channel interface {
		Endpoint
		PartSender
		PartReceiver
	}
	// Scatter distributes messages among sockets of type Gather.
	Scatter interface {
		Endpoint
		PartSender
	}
	// Gather receives from sockets of type Scatter.
	Gather interface {
		Endpoint
		PartReceiver
	}
	// Radio sends to groups; Send is to the one without a name.
	Radio interface {
		Endpoint
		PartSender
		SendGroup(group string, part []byte, flags ...zmq.Flag) error
		SendGroupContext(ctx context.Context, group string, part []byte, flags ...zmq.Flag) error
	}
	// Dish receives what is sent to the groups that it has joined.
	Dish interface {
		Endpoint
		PartReceiver
		Join(group string) error
		Leave(group string) error
		RecvGroup(buf []byte, flags ...zmq.Flag) (n int, group string, err error)
		RecvGroupContext(ctx context.Context, buf []byte, flags ...zmq.Flag) (n int, group string, err error)
	}
	// Dgram exchanges UDP datagrams, once it is bound, which libzmq cannot undo. It is
	// never connected.
	Dgram interface {
		Type() zmq.SocketType
		Bind(endpoint string) error
		LastEndpoint() (string, error)
		Set(settings ...zmq.Setting) error
		Options() map[string]any
		Stats() zmq.Stats
		Close() error
		SendDatagram(to netip.AddrPort, datagram []byte, flags ...zmq.Flag) error
		SendDatagramContext(ctx context.Context, to netip.AddrPort, datagram []byte, flags ...zmq.Flag) error
		RecvDatagram(buf []byte, flags ...zmq.Flag) (n int, from netip.AddrPort, err error)
		RecvDatagramContext(ctx context.Context, buf []byte, flags ...zmq.Flag) (n int, from netip.AddrPort, err error)
		SendMultipart(parts [][]byte, flags ...zmq.Flag) error
		SendMultipartContext(ctx context.Context, parts [][]byte, flags ...zmq.Flag) error
		RecvMultipart(flags ...zmq.Flag) ([][]byte, error)
		RecvMultipartContext(ctx context.Context, flags ...zmq.Flag) ([][]byte, error)
		Messages(ctx context.Context) iter.Seq2[zmq.Multipart, error]
		Ready() <-chan struct{}
		WaitReadable(ctx context.Context) error
	}
)

// NewClient makes a CLIENT socket, as zmq.Context.NewSocket does. zmq_socket.
func NewClient(c *zmq.Context, settings ...zmq.Setting) (Client, error) {
	return open[Client](c, zmq.Client, settings)
}

// NewServer makes a SERVER socket, as zmq.Context.NewSocket does. zmq_socket.
func NewServer(c *zmq.Context, settings ...zmq.Setting) (Server, error) {
	return open[Server](c, zmq.Server, settings)
}

// NewPeer makes a PEER socket, as zmq.Context.NewSocket does. zmq_socket.
func NewPeer(c *zmq.Context, settings ...zmq.Setting) (Peer, error) {
	return open[Peer](c, zmq.Peer, settings)
}

// NewChannel makes a CHANNEL socket, as zmq.Context.NewSocket does. zmq_socket.
func NewChannel(c *zmq.Context, settings ...zmq.Setting) (Channel, error) {
	return open[Channel](c, zmq.Channel, settings)
}

// NewScatter makes a SCATTER socket, as zmq.Context.NewSocket does. zmq_socket.
func NewScatter(c *zmq.Context, settings ...zmq.Setting) (Scatter, error) {
	return open[Scatter](c, zmq.Scatter, settings)
}

// NewGather makes a GATHER socket, as zmq.Context.NewSocket does. zmq_socket.
func NewGather(c *zmq.Context, settings ...zmq.Setting) (Gather, error) {
	return open[Gather](c, zmq.Gather, settings)
}

// NewRadio makes a RADIO socket, as zmq.Context.NewSocket does. zmq_socket.
func NewRadio(c *zmq.Context, settings ...zmq.Setting) (Radio, error) {
	return open[Radio](c, zmq.Radio, settings)
}

// NewDish makes a DISH socket, as zmq.Context.NewSocket does. zmq_socket.
func NewDish(c *zmq.Context, settings ...zmq.Setting) (Dish, error) {
	return open[Dish](c, zmq.Dish, settings)
}

// NewDgram makes a DGRAM socket, as zmq.Context.NewSocket does. zmq_socket.
func NewDgram(c *zmq.Context, settings ...zmq.Setting) (Dgram, error) {
	return open[Dgram](c, zmq.Dgram, settings)
}
