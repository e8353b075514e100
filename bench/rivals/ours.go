package rivals

import (
	"context"
	"errors"

	"github.com/go-zmq/go-zmq/bench/workload"
	"github.com/go-zmq/go-zmq/zmq"
)

// ours is go-zmq in the rivals' engine: the same loops, the same buffer for every message
// sent, and a new slice for every part received.
func ours() *Rival {
	return &Rival{Impl: workload.Go, Modes: []workload.Mode{workload.Blocking}, open: openOurSockets}
}

type ourSocket struct {
	*zmq.Socket
	ids bool // the first part of each message received is a routing id
	out [2][]byte
}

func (s *ourSocket) send(to, payload []byte) error {
	ctx := context.Background()
	if to != nil {
		s.out = [2][]byte{to, payload}
		return s.SendMultipart(ctx, s.out[:])
	}
	return s.Send(ctx, payload)
}

func (s *ourSocket) recv() (from, payload []byte, err error) {
	ctx := context.Background()
	if s.ids {
		if from, err = s.RecvBytes(ctx); err != nil {
			return nil, nil, err
		}
	}
	payload, err = s.RecvBytes(ctx)
	return from, payload, err
}

func (s *ourSocket) close() error { return s.Close() }

// openOurSockets connects the sockets of a one-way pattern.
func openOurSockets(spec workload.Spec, endpoint string) (s sockets, err error) {
	zctx, err := zmq.NewContext()
	if err != nil {
		return s, err
	}
	s.stop = func() { _ = zctx.Shutdown() }
	s.close = func() error { return errors.Join(zctx.Shutdown(), zctx.Close()) }
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	hwm := zmq.HWM(highWater(spec))
	types := [2]zmq.SocketType{zmq.Push, zmq.Pull}
	settings := [2][]zmq.Setting{{hwm, zmq.Linger.To(0)}, {hwm, zmq.Linger.To(0)}}
	if spec.Pattern == workload.RouterRouter {
		types = [2]zmq.SocketType{zmq.Router, zmq.Router}
		settings[0] = append(settings[0], zmq.RouterMandatory.To(true), zmq.RoutingID.To(nearID), zmq.ProbeRouter.To(true))
		settings[1] = append(settings[1], zmq.RouterMandatory.To(true), zmq.RoutingID.To(farID))
		s.probes = true
	}
	far, err := zctx.NewSocket(types[1], settings[1]...)
	if err != nil {
		return s, err
	}
	near, err := zctx.NewSocket(types[0], settings[0]...)
	if err != nil {
		return s, err
	}
	if err = far.Bind(endpoint); err != nil {
		return s, err
	}
	bound, err := far.LastEndpoint()
	if err != nil {
		return s, err
	}
	s.far, s.near = &ourSocket{Socket: far, ids: s.probes}, &ourSocket{Socket: near, ids: s.probes}
	return s, near.Connect(bound)
}
