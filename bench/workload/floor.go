package workload

import "github.com/go-zmq/go-zmq/bench/cfloor"

func openFloor(spec Spec, endpoint string, through via) (engine, error) {
	pattern := map[Pattern]cfloor.Pattern{
		RouterRouter: cfloor.RouterRouter, PushPull: cfloor.PushPull, DealerDealer: cfloor.DealerDealer,
		PubSub: cfloor.PubSub, DealerRouter: cfloor.DealerRouter, ReqRep: cfloor.ReqRep,
		Pair: cfloor.Pair, ScatterGather: cfloor.ScatterGather, RadioDish: cfloor.RadioDish,
	}[spec.Pattern]
	mode := map[Mode]cfloor.Mode{
		Blocking: cfloor.Blocking, Drain: cfloor.Batch, Batch: cfloor.Batch, ReadAhead: cfloor.Batch,
		Sleep: cfloor.Sleep, Sleep10: cfloor.Sleep10, Poll: cfloor.Poll, PollDrain: cfloor.Poll,
	}[spec.Mode]
	pin := spec.pin()
	config := cfloor.Config{
		Pattern: pattern, Mode: mode, Size: spec.Size,
		Senders: spec.senders(), Receivers: spec.receivers(), Window: spec.window(),
		Curve: spec.Curve, InBatch: spec.InBatchSize, OutBatch: spec.OutBatchSize,
		HighWater: spec.highWater(), Via: through,
		Parts: spec.parts(), Payload: spec.Payload,
		PinSenders: pin.Senders, PinReceivers: pin.Receivers, PinIO: pin.IO,
	}
	if spec.Latency {
		config.Samples = spec.Sent() / spec.senders()
	}
	if spec.Strategy != "" {
		if spec.Mode == "" {
			config.Mode = cfloor.Blocking
		}
		config.Lend = spec.Strategy == ZeroCopy
	}
	f, err := cfloor.Open(config, endpoint)
	if err != nil {
		return nil, err // a nil *Floor must not become an engine
	}
	return f, nil
}
