package workload

import "github.com/go-zmq/go-zmq/internal/libzmq/cfloor"

func openFloor(spec Spec, endpoint string) (engine, error) {
	pattern := map[Pattern]cfloor.Pattern{
		RouterRouter: cfloor.RouterRouter, PushPull: cfloor.PushPull, DealerDealer: cfloor.DealerDealer,
	}[spec.Pattern]
	mode := map[Mode]cfloor.Mode{
		Blocking: cfloor.Blocking, Batch: cfloor.Batch, ReadAhead: cfloor.Batch, Sleep: cfloor.Sleep, Poll: cfloor.Poll,
	}[spec.Mode]
	config := cfloor.Config{Pattern: pattern, Mode: mode, Size: spec.Size}
	if spec.Strategy != "" {
		config.Mode = cfloor.Blocking
		config.HighWater = HighWater(spec.Size)
		config.Lend = spec.Strategy == ZeroCopy
	}
	f, err := cfloor.Open(config, endpoint)
	if err != nil {
		return nil, err // a nil *Floor must not become an engine
	}
	return f, nil
}
