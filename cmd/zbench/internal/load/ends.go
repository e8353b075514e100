package load

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/internal/workload"
	"github.com/go-zmq/go-zmq/zmq"
)

// A shape says how the ends of a pattern talk.
type shape struct {
	client, server zmq.SocketType
	oneWay         bool // the server measures, nothing comes back
	lockstep       bool // a client sends only after the reply
	single         bool // a server can have one client only
	draft          bool // messages have one part
}

var shapes = map[string]shape{
	"reqrep":       {client: zmq.Req, server: zmq.Rep, lockstep: true},
	"dealerrouter": {client: zmq.Dealer, server: zmq.Router},
	"dealerdealer": {client: zmq.Dealer, server: zmq.Dealer, single: true},
	"routerrouter": {client: zmq.Router, server: zmq.Router},
	"pair":         {client: zmq.Pair, server: zmq.Pair, single: true},
	"pushpull":     {client: zmq.Push, server: zmq.Pull, oneWay: true, single: true},

	// Those of the draft API.
	"clientserver":  {client: zmq.Client, server: zmq.Server, draft: true},
	"scattergather": {client: zmq.Scatter, server: zmq.Gather, oneWay: true, single: true, draft: true},
	"radiodish":     {client: zmq.Radio, server: zmq.Dish, oneWay: true, single: true, draft: true},
}

var serverID = []byte("server")

// errIntegrity is what a message that is not the expected one fails a run with.
var errIntegrity = errors.New("a message was lost, repeated, out of order or of the wrong size; libzmq or the binding is at fault, please report it")

// ends are the connected sockets of a cell.
type ends struct {
	shape
	ctx     *zmq.Context
	server  *zmq.Socket
	clients []*client
	size    int
	parts   int         // of a message
	host    string      // to bind to
	dir     string      // of an ipc endpoint
	closing atomic.Bool // calls fail since the measurement is over
}

// client is one connection: it sends numbered messages and looks at what comes
// back. One goroutine sends, one receives; they may be the same.
type client struct {
	shape
	socket  *zmq.Socket
	replies *zmq.Socket // where to receive: socket, or the server's
	size    int
	out, in []byte
	split   [][]byte // in, as the parts of a message
	whole   [][]byte // the parts of what is sent, if there are several: a ROUTER's begin with the routing id
	id      [16]byte
	next    uint64 // the number of the next message to send
	wanted  uint64 // the number of the next to come
}

// Peer is a server that is elsewhere: where clients connect to, and with CURVE its
// public key.
type Peer struct {
	Endpoint, Key string

	// First is the number of the first client, where other processes have clients of
	// the same server.
	First int
	// All is how many clients share the offered load, in all processes; 0: those that are
	// here.
	All int
	// Ready, if there is one, is called when all clients have their connection, and
	// holds up what comes then.
	Ready func(context.Context) error `json:"-"`
}

// openEnds makes the sockets; with a peer, those of the clients alone. Messages consist
// of text, if there is one.
func openEnds(cell record.Cell, peer *Peer, text string) (e *ends, err error) {
	s, ok := shapes[cell.Pattern]
	if !ok {
		return nil, fmt.Errorf("pattern %q has no round trip", cell.Pattern)
	}
	contextSettings, settings, err := options(cell.Options)
	if err != nil {
		return nil, err
	}
	zctx, err := zmq.NewContext(pinned(cell, contextSettings)...)
	if err != nil {
		return nil, err
	}
	settings = append([]zmq.Setting{zmq.Linger.To(0)}, settings...)
	e = &ends{shape: s, ctx: zctx, size: cell.Size, parts: max(cell.Parts, 1), host: loopback}
	if peer == nil {
		peer, err = e.bind(cell, settings)
	}
	if err == nil {
		err = e.connect(cell, settings, *peer, text)
	}
	if err != nil {
		return nil, errors.Join(err, e.close())
	}
	return e, nil
}

// bind makes the server's socket, and returns what the clients have to know.
func (e *ends) bind(cell record.Cell, settings []zmq.Setting) (*Peer, error) {
	security, err := newKeys(cell.Security)
	if err != nil {
		return nil, err
	}
	all := append(security.server(), addressed(e.host, settings)...)
	if e.shape.server == zmq.Router {
		// Without it a ROUTER drops what it cannot send.
		all = append(all, zmq.RouterMandatory.To(true))
		if e.shape.client == zmq.Router {
			all = append(all, zmq.RoutingID.To(serverID))
		}
	}
	if e.server, err = e.ctx.NewSocket(e.shape.server, all...); err != nil {
		return nil, err
	}
	endpoint, err := e.endpoint(cell.Transport)
	if err != nil {
		return nil, err
	}
	if err := e.server.Bind(endpoint); err != nil {
		return nil, err
	}
	if e.shape.server == zmq.Dish {
		if err := e.server.Join(group); err != nil {
			return nil, err
		}
	}
	bound, err := e.server.LastEndpoint()
	return &Peer{Endpoint: bound, Key: security.public}, err
}

// connect makes the clients.
func (e *ends) connect(cell record.Cell, settings []zmq.Setting, peer Peer, text string) error {
	for i := range max(cell.Senders, 1) {
		c, err := e.newClient(peer.First+i, append(keys{public: peer.Key}.client(), addressed(peer.Endpoint, settings)...), text)
		if err != nil {
			return err
		}
		e.clients = append(e.clients, c)
		if err := c.socket.Connect(peer.Endpoint); err != nil {
			return err
		}
	}
	return nil
}

func (e *ends) newClient(i int, settings []zmq.Setting, text string) (*client, error) {
	c := &client{shape: e.shape, size: e.size}
	// A byte more than a message has: the mark of the end is longer than the others.
	c.out, c.in = Payload(e.size+1, text), make([]byte, e.size+1)
	c.split = workload.Split(c.in[:e.size], e.parts)
	if e.parts > 1 {
		c.whole = workload.Split(c.out[:e.size], e.parts)
	}
	if e.shape.client == zmq.Router {
		// It learns of the server by the reply to its probe.
		settings = append(settings, zmq.RoutingID.To(fmt.Appendf(nil, "client%d", i)), zmq.RouterMandatory.To(true), zmq.ProbeRouter.To(true))
		c.whole = append([][]byte{serverID}, workload.Split(c.out[:e.size], e.parts)...)
	}
	if e.shape.client == zmq.Radio {
		settings = append(settings, zmq.XPubNoDrop.To(true)) // none is lost: it waits
	}
	var err error
	if c.socket, err = e.ctx.NewSocket(e.shape.client, settings...); err != nil {
		return nil, err
	}
	c.replies = c.socket
	if e.oneWay {
		c.replies = e.server
	}
	return c, nil
}

const loopback = "127.0.0.1"

// addressed adds what an address of IPv6 needs: two colons are in no other one.
func addressed(address string, settings []zmq.Setting) []zmq.Setting {
	if strings.Count(address, ":") > strings.Count(address, "://")+1 {
		return append([]zmq.Setting{zmq.IPv6.To(true)}, settings...)
	}
	return settings
}

func (e *ends) endpoint(transport string) (string, error) {
	switch transport {
	case "tcp", "ws":
		if strings.Contains(e.host, ":") {
			return transport + "://[" + e.host + "]:*", nil
		}
		return transport + "://" + e.host + ":*", nil
	case "inproc":
		return "inproc://latency", nil // its own in each context
	case "ipc":
		dir, err := os.MkdirTemp("", "zmq")
		if err != nil {
			return "", fmt.Errorf("no directory for an ipc endpoint: %w", err)
		}
		e.dir = dir
		return "ipc://" + filepath.Join(dir, "s"), nil
	}
	return "", fmt.Errorf("unknown transport %q", transport)
}

// stop makes all calls on the sockets fail. Any goroutine may call it.
func (e *ends) stop() {
	// Its only error is that the context is closed already.
	_ = e.ctx.Shutdown()
}

func (e *ends) close() error {
	err := e.ctx.Close()
	if e.dir != "" {
		err = errors.Join(err, os.RemoveAll(e.dir))
	}
	return err
}

// numbered is the least size with room for a message's number.
const numbered = 8

// send sends the next message.
func (c *client) send() error {
	if c.isNumbered() {
		binary.NativeEndian.PutUint64(c.out, c.next)
	}
	var err error
	if c.whole != nil {
		err = c.socket.SendMultipart(context.Background(), c.whole)
	} else {
		err = c.sendOne(c.out[:c.size])
	}
	if err == nil {
		c.next++
	}
	return err
}

// sendEnd sends the mark behind the last message, in one part.
func (c *client) sendEnd() error {
	if c.routed() {
		return c.socket.SendMultipart(context.Background(), [][]byte{serverID, c.out})
	}
	return c.sendOne(c.out)
}

func (c *client) sendOne(p []byte) error {
	if c.client == zmq.Radio {
		return c.socket.SendGroup(context.Background(), group, p)
	}
	return c.socket.Send(context.Background(), p)
}

func (c *client) routed() bool { return c.client == zmq.Router }

func (c *client) isNumbered() bool { return len(c.split[0]) >= numbered }

// recv waits for the next reply; end says that it is the mark.
func (c *client) recv() (end bool, err error) {
	if c.routed() {
		if _, err := c.replies.Recv(context.Background(), c.id[:]); err != nil {
			return false, err
		}
	}
	n, err := c.replies.Recv(context.Background(), c.in)
	switch {
	case err != nil:
		return false, err
	case n == c.size+1:
		return true, nil
	case n != len(c.split[0]):
		return false, errIntegrity
	case c.isNumbered() && binary.NativeEndian.Uint64(c.in) != c.wanted:
		return false, fmt.Errorf("message %d came in the place of message %d: %w", binary.NativeEndian.Uint64(c.in), c.wanted, errIntegrity)
	}
	for _, part := range c.split[1:] {
		if n, err := c.replies.Recv(context.Background(), part); err != nil || n != len(part) {
			return false, errors.Join(errIntegrity, err)
		}
	}
	c.wanted++
	return false, nil
}
