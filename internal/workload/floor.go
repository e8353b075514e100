package workload

import "github.com/go-zmq/go-zmq/internal/libzmq/cfloor"

func openFloor(spec Spec, endpoint string) (engine, error) {
	pattern := map[Pattern]cfloor.Pattern{
		RouterRouter: cfloor.RouterRouter, PushPull: cfloor.PushPull, DealerDealer: cfloor.DealerDealer,
	}[spec.Pattern]
	mode := map[Mode]cfloor.Mode{
		Blocking: cfloor.Blocking, Batch: cfloor.Batch, Sleep: cfloor.Sleep, Poll: cfloor.Poll,
	}[spec.Mode]
	f, err := cfloor.Open(pattern, mode, endpoint, spec.Size)
	if err != nil {
		return nil, err // a nil *Floor must not become an engine
	}
	return f, nil
}
