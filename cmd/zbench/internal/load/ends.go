package load

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/zmq"
)

// A shape says how the ends of a pattern talk.
type shape struct {
	client, server zmq.SocketType
	oneWay         bool // the server measures, nothing comes back
	lockstep       bool // a client sends only after the reply
	single         bool // a server can have only one client
	draft          bool
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
}

// serverID is what the ROUTER of a client calls its server.
var serverID = []byte("server")

// ends are the connected sockets of a cell.
type ends struct {
	shape
	ctx     *zmq.Context
	server  *zmq.Socket // nil: it is elsewhere
	clients []*client
	size    int
	dir     string      // of an ipc endpoint
	closing atomic.Bool // calls fail because the measurement is over
}

// openEnds opens the sockets of a cell; with an endpoint only those of the clients.
func openEnds(ctx context.Context, cell record.Cell, method record.Method) (e *ends, err error) {
	s, ok := shapes[cell.Pattern]
	if !ok {
		return nil, fmt.Errorf("pattern %q has no round trip", cell.Pattern)
	}
	options, err := Settings(cell.Options)
	if err != nil {
		return nil, err
	}
	zctx, err := zmq.NewContext(options...)
	if err != nil {
		return nil, err
	}
	settings := []zmq.Setting{zmq.Linger.To(0)}
	e = &ends{shape: s, ctx: zctx, size: cell.Size}
	endpoint, key := method.Endpoint, method.Key
	if endpoint == "" {
		endpoint, key, err = e.bind(cell, settings)
	}
	if err == nil {
		err = e.connect(ctx, cell, settings, endpoint, key)
	}
	if err != nil {
		return nil, errors.Join(err, e.close())
	}
	return e, nil
}

// bind opens the server's socket. It returns where it is and, with CURVE, its public key.
func (e *ends) bind(cell record.Cell, settings []zmq.Setting) (endpoint, key string, err error) {
	if cell.Security == "curve" {
		public, secret, err := zmq.NewCurveKeypair()
		if err != nil {
			return "", "", err
		}
		key = public
		settings = append([]zmq.Setting{zmq.AsCurveServer(secret, zmq.AllowAnyClient())}, settings...)
	}
	if e.shape.server == zmq.Router {
		// Without it a ROUTER drops what it cannot send.
		settings = append(settings, zmq.RouterMandatory.To(true))
	}
	if e.server, err = e.ctx.NewSocket(e.shape.server, settings...); err != nil {
		return "", "", err
	}
	if endpoint, err = e.endpoint(cell.Transport); err != nil {
		return "", "", err
	}
	if err := e.server.Bind(endpoint); err != nil {
		return "", "", err
	}
	endpoint, err = e.server.LastEndpoint()
	return endpoint, key, err
}

func (e *ends) endpoint(transport string) (string, error) {
	switch transport {
	case "tcp", "ws":
		return transport + "://127.0.0.1:*", nil
	case "inproc":
		return "inproc://latency", nil // each context has its own
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

// connect opens the clients.
func (e *ends) connect(ctx context.Context, cell record.Cell, settings []zmq.Setting, endpoint, key string) error {
	if key != "" {
		settings = append([]zmq.Setting{zmq.AsCurveClient(key)}, settings...)
	}
	settings = append(Addressed(endpoint), settings...)
	for range max(cell.Senders, 1) {
		c, err := e.newClient(settings)
		if err != nil {
			return err
		}
		e.clients = append(e.clients, c)
		connect := func() error { return c.socket.Connect(endpoint) }
		if e.server != nil {
			err = connect()
		} else {
			err = Attach(ctx, c.socket, endpoint, patience, connect, func(ctx context.Context) error { return c.socket.WaitConnected(ctx, 1) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// again is how long a peer that ended a connection has to accept another one.
const again = time.Second

// patience is how long a peer that is elsewhere has to be there and to answer.
const patience = 10 * time.Second

// Attach connects or binds a socket and waits for its peers for at most wait, 0 for no
// limit; the exit code of its error is then Unfit. It names a peer whose socket type does
// not fit.
func Attach(ctx context.Context, s *zmq.Socket, endpoint string, wait time.Duration, attach func() error, peers func(context.Context) error) error {
	// libzmq ends a connection to a socket type that does not fit.
	const refused = zmq.EventDisconnected | zmq.EventHandshakeFailedProtocol | zmq.EventHandshakeFailedNoDetail
	m, err := s.Monitor(refused)
	if err != nil {
		return err
	}
	defer m.Close()
	if err := attach(); err != nil {
		return err
	}
	waiting, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if wait > 0 {
		late := record.Exitf(record.Unfit, "no answer from %s in %v: is the peer running?", endpoint, wait)
		defer time.AfterFunc(wait, func() { cancel(late) }).Stop()
	}
	go func() {
		if _, err := m.Next(waiting); err != nil {
			return
		}
		select {
		case <-time.After(again): // a peer that restarts ends a connection, too
		case <-waiting.Done():
		}
		cancel(mismatchError{fmt.Errorf("%s: the peer refuses a %s: its socket type does not fit; use the pattern of the peer (--pattern)", endpoint, s.Type())})
	}()
	if err := peers(waiting); err != nil {
		if cause := context.Cause(waiting); cause != nil {
			return cause
		}
		return err
	}
	return nil
}

// mismatchError says that the pattern of the peer is another one.
type mismatchError struct{ error }

// Mismatched reports whether an error says that the pattern of the peer is another one.
func Mismatched(err error) bool { return errors.As(err, new(mismatchError)) }

// Addressed returns the settings for an endpoint: an IPv6 address needs one. No other
// endpoint has two colons after the transport.
func Addressed(endpoint string) []zmq.Setting {
	if strings.Count(endpoint, ":") > strings.Count(endpoint, "://")+1 {
		return []zmq.Setting{zmq.IPv6.To(true)}
	}
	return nil
}

// stop makes all calls on the sockets fail. Any goroutine may call it.
func (e *ends) stop() {
	_ = e.ctx.Shutdown() // its only error is that the context is closed
}

func (e *ends) close() error {
	err := e.ctx.Close()
	if e.dir != "" {
		err = errors.Join(err, os.RemoveAll(e.dir))
	}
	return err
}
