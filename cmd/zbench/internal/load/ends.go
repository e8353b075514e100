package load

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/zmq"
)

// serverID is what the ROUTER of a client calls its server.
var serverID = []byte("server")

// ends are the connected sockets of a cell.
type ends struct {
	record.Pattern
	ctx     *zmq.Context
	server  *zmq.Socket // nil: it is elsewhere
	clients []*client
	size    int
	payload []byte
	parts   []int               // sizes of the parts
	dir     string              // of an ipc endpoint
	closing atomic.Bool         // calls fail because the measurement is over
	watch   func(*client) Watch // of peers that are elsewhere
	stops   []func()            // of the watches
}

// openEnds opens the sockets of a cell; with an endpoint only those of the clients.
func openEnds(ctx context.Context, cell record.Cell, method record.Method, watch func(*client) Watch) (e *ends, err error) {
	if err := Resolve(ctx, method.Endpoint); err != nil {
		return nil, err
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
	e = &ends{Pattern: cell.Ends(), ctx: zctx, size: cell.Size, parts: method.Parts, watch: watch}
	payloads, err := Payloads(method.Payload, cell.Size)
	if err != nil {
		return nil, errors.Join(err, zctx.Close())
	}
	e.payload = payloads[0]
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
	if e.Server == zmq.Router {
		// Without it a ROUTER drops what it cannot send.
		settings = append(settings, zmq.RouterMandatory.To(true))
	}
	if e.server, err = e.ctx.NewSocket(e.Server, settings...); err != nil {
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
			var stop func()
			stop, err = Attach(ctx, c.socket, endpoint, patience, connect, func(ctx context.Context) error { return c.socket.WaitConnected(ctx, 1) }, e.watch(c))
			if stop != nil {
				e.stops = append(e.stops, stop)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// patience is how long a peer that is elsewhere has to be there and to answer.
const patience = 10 * time.Second

// Attach connects or binds a socket and waits for its peers for at most wait, 0 for no
// limit; the exit code of its error is then Unfit. It names a peer that does not fit. The
// socket is watched until stop is called.
func Attach(ctx context.Context, s *zmq.Socket, endpoint string, wait time.Duration, attach func() error, peers func(context.Context) error, w Watch) (stop func(), err error) {
	waiting, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	also := w.Refused
	w.Refused = func(why error) {
		call(also, why)
		// A peer that starts again ends a connection, too.
		time.AfterFunc(again, func() { cancel(why) })
	}
	if stop, err = w.Follow(s, endpoint); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			stop()
			stop = nil
		}
	}()
	if err := attach(); err != nil {
		return stop, err
	}
	if wait > 0 {
		late := record.Exitf(record.Unfit, "no answer from %s in %v: is the peer running?", endpoint, wait)
		defer time.AfterFunc(wait, func() { cancel(late) }).Stop()
	}
	if err := peers(waiting); err != nil {
		if cause := context.Cause(waiting); cause != nil {
			return stop, cause
		}
		return stop, err
	}
	return stop, nil
}

// lookup is how long a name has to be resolved.
const lookup = 5 * time.Second

// Resolve returns an error if the host of an endpoint to connect to has no address: libzmq
// looks for it in silence, for ever.
func Resolve(ctx context.Context, endpoint string) error {
	transport, address, _ := strings.Cut(endpoint, "://")
	host, _, err := net.SplitHostPort(strings.SplitN(address, "/", 2)[0])
	if err != nil || !slices.Contains([]string{"tcp", "ws", "wss"}, transport) || strings.ContainsAny(host, ";%") || net.ParseIP(host) != nil {
		return nil // libzmq says what is wrong with it
	}
	ctx, cancel := context.WithTimeout(ctx, lookup)
	defer cancel()
	if _, err := net.DefaultResolver.LookupHost(ctx, host); err != nil {
		if _, no := net.InterfaceByName(host); no != nil {
			return record.Exitf(record.Unfit, "%s: the name %s has no address: %w", endpoint, host, err)
		}
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
	for _, stop := range e.stops {
		stop()
	}
	err := e.ctx.Close()
	if e.dir != "" {
		err = errors.Join(err, os.RemoveAll(e.dir))
	}
	return err
}
