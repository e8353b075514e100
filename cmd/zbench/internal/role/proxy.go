package role

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/zmq"
)

// tick is how often a proxy's statistics are read.
const tick = 50 * time.Millisecond

// runProxy forwards messages between two sockets.
func runProxy(ctx context.Context, r *plan.Role, live *Tally, say Say, res *Result) (err error) {
	ofContext, ofSockets, err := load.Settings(cell(r).Options)
	if err != nil {
		return err
	}
	zctx, err := zmq.NewContext(ofContext...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeContext(zctx, err != nil)) }()
	settings := append([]zmq.Setting{zmq.Linger.To(-1)}, ofSockets...)
	front, back := r.ProxyTypes()
	frontend, err := side(zctx, front, "frontend", r.Frontend, !r.FrontendConnect, settings, say)
	if err != nil {
		return err
	}
	backend, err := side(zctx, back, "backend", r.Backend, !r.BackendConnect, settings, say)
	if err != nil {
		return err
	}
	var capture *zmq.Socket
	if r.Capture != "" {
		if capture, err = side(zctx, zmq.Pub, "capture", r.Capture, true, settings, say); err != nil {
			return err
		}
	}
	p, err := zmq.NewSteerableProxy(frontend, backend, capture)
	if err != nil {
		return err
	}
	running := make(chan error, 1)
	go func() { running <- p.Run(ctx) }()
	w := watch{Role: r, live: live, res: res, proxy: p, frontend: frontend}
	err = w.until(running)
	e := p.Terminate()
	if !w.ended {
		err = errors.Join(err, <-running)
	}
	err = errors.Join(err, e, w.look())
	res.Rescues = core.Rescues()
	return err
}

// side makes one of the sockets.
func side(zctx *zmq.Context, t zmq.SocketType, name, endpoint string, bind bool, settings []zmq.Setting, say Say) (*zmq.Socket, error) {
	s, err := zctx.NewSocket(t, settings...)
	if err != nil {
		return nil, err
	}
	if !bind {
		return s, s.Connect(endpoint)
	}
	if err := s.Bind(endpoint); err != nil {
		return nil, err
	}
	bound, err := s.LastEndpoint()
	if err == nil {
		say("%s: listening on %s", name, bound)
	}
	return s, err
}

// watch reads what a proxy has moved.
type watch struct {
	*plan.Role
	live         *Tally
	res          *Result
	proxy        *zmq.SteerableProxy
	frontend     *zmq.Socket
	used         load.Meter
	first, last  time.Duration
	full         time.Duration // when it had Count messages
	moved, bytes uint64
	ended        bool // the proxy has, by itself
}

// until waits for the end that the role has.
func (w *watch) until(running <-chan error) error {
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	for {
		select {
		case err := <-running:
			w.ended = true
			return err
		case <-ticks.C:
		}
		if err := w.look(); err != nil {
			return err
		}
		now := pace.Now()
		if w.full == 0 && w.Count > 0 && w.moved >= uint64(w.Count) {
			w.full = now
		}
		switch {
		case w.first == 0:
		case w.full > 0:
			// What senders still say, such as that this was all, is to go through, too.
			if now-w.last >= tick && w.frontend.Stats().Connections == 0 || now-w.full >= hurried {
				return nil
			}
		case w.Duration > 0 && now-w.first >= w.Duration:
			return nil
		case w.Idle > 0 && now-w.last >= w.Idle:
			if w.Count > 0 {
				return unfit("%d of %d messages came, and then none for %v", w.moved, w.Count, w.Idle)
			}
			return nil
		}
	}
}

// look brings the result up to date.
func (w *watch) look() error {
	s, err := w.proxy.Statistics()
	if err != nil {
		return err
	}
	moved := s.Frontend.MessagesReceived + s.Backend.MessagesReceived
	bytes := s.Frontend.BytesReceived + s.Backend.BytesReceived
	if moved != w.moved {
		w.last = pace.Now()
		if w.first == 0 {
			w.first = w.last
			w.used.Begin()
		}
		w.live.add(int64(moved-w.moved), int64(bytes-w.bytes))
		w.moved, w.bytes = moved, bytes
		w.used.Until(&w.res.Run)
	}
	r := w.res
	r.Messages, r.Bytes, r.Elapsed, r.Dropped = int64(moved), int64(bytes), w.last-w.first, s.Dropped
	if moved > 0 {
		r.Cell.Size = int(bytes / moved)
	}
	r.Lines = []string{
		fmt.Sprintf("%d messages went from frontend to backend, %d back", s.Backend.MessagesSent, s.Frontend.MessagesSent),
	}
	return nil
}
