package load

import (
	"context"
	"errors"
	"sync"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/zmq"
)

// Serve answers the messages of a cell's clients that are elsewhere, until ctx ends,
// which is no error. ready is called with what they have to know.
func Serve(ctx context.Context, cell record.Cell, ready func(Peer) error) error {
	return ServeAt(ctx, cell, loopback, ready)
}

// ServeAt is Serve on an address of this host, without a port.
func ServeAt(ctx context.Context, cell record.Cell, host string, ready func(Peer) error) (err error) {
	contextSettings, settings, err := options(cell.Options)
	if err != nil {
		return err
	}
	zctx, err := zmq.NewContext(pinned(cell, contextSettings)...)
	if err != nil {
		return err
	}
	e := &ends{shape: shapes[cell.Pattern], ctx: zctx, size: cell.Size, parts: max(cell.Parts, 1), host: host}
	defer func() { err = errors.Join(err, e.close()) }()
	peer, err := e.bind(cell, append([]zmq.Setting{zmq.Linger.To(0)}, settings...))
	if err != nil {
		return err
	}
	stop := sync.OnceFunc(func() {
		e.closing.Store(true)
		e.stop()
	})
	defer context.AfterFunc(ctx, stop)()
	if err := ready(*peer); err != nil {
		return err
	}
	return onto(pins(cell).Receivers, func() error { return e.echo(nil) })
}
