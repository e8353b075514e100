package workload_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/bench/workload"
	"github.com/go-zmq/go-zmq/zmq"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	good := workload.Spec{Pattern: workload.PushPull, Transport: workload.TCP, Mode: workload.Poll, Impl: workload.Go, Size: 8}
	require.NoError(t, good.Validate())
	strategy := func(s *workload.Spec, strategy workload.Strategy) { s.Mode, s.Strategy = "", strategy }
	pattern := func(s *workload.Spec, pattern workload.Pattern) { s.Pattern, s.Mode = pattern, workload.Blocking }
	cases := map[string]struct {
		change func(*workload.Spec)
		want   string
	}{
		"pattern":             {func(s *workload.Spec) { s.Pattern = "stream" }, `unknown pattern "stream"; use one of ["routerrouter" "pushpull" "pubsub" "pair" "dealerdealer" "dealerrouter" "reqrep" "scattergather" "radiodish"]`},
		"transport":           {func(s *workload.Spec) { s.Transport = "udp" }, `unknown transport "udp"`},
		"mode":                {func(s *workload.Spec) { s.Mode = "" }, `unknown mode ""`},
		"impl":                {func(s *workload.Spec) { s.Impl = "rust" }, `unknown impl "rust"`},
		"size":                {func(s *workload.Spec) { s.Size = 7 }, "size 7"},
		"all memory":          {func(s *workload.Spec) { s.Size = math.MaxInt }, "use 1073741824 or less"},
		"messages":            {func(s *workload.Spec) { s.Messages = -1 }, "messages -1"},
		"more than a stamp":   {func(s *workload.Spec) { s.Messages = math.MaxInt }, "or fewer"},
		"strategy":            {func(s *workload.Spec) { strategy(s, "hope") }, `unknown strategy "hope"; use one of ["bytes" "syncpool" "message" "zerocopy" "pooled" "batch" "copy"]`},
		"go has no":           {func(s *workload.Spec) { strategy(s, workload.Copy) }, `strategy "copy" with impl "go": it has no such way; use one of ["bytes"`},
		"c has no":            {func(s *workload.Spec) { strategy(s, workload.Pooled); s.Impl = workload.C }, `strategy "pooled" with impl "c": it has no such way; use one of ["copy" "zerocopy"]`},
		"bytes of replies":    {func(s *workload.Spec) { strategy(s, workload.Bytes); s.Pattern = workload.DealerDealer }, `strategy "bytes" with pattern "dealerdealer": strategies are for messages that go one way; use pattern "routerrouter", "pushpull" or "pubsub"`},
		"both":                {func(s *workload.Spec) { s.Mode, s.Strategy = workload.Batch, workload.Bytes }, `strategy "bytes" with mode "batch": a strategy has its own way to receive; leave the mode empty, or use "poll"`},
		"polls for loans":     {func(s *workload.Spec) { s.Strategy, s.Impl = workload.ZeroCopy, workload.C }, `strategy "zerocopy" with mode "poll" and impl "c": its loop only waits in receives`},
		"dealt out":           {func(s *workload.Spec) { strategy(s, workload.Bytes); s.Receivers = 4 }, `strategy "bytes" with 4 receivers`},
		"round trip":          {func(s *workload.Spec) { s.Pattern = workload.DealerDealer }, `mode "poll" with pattern "dealerdealer": round trips do not have this mode; use one of ["blocking"]`},
		"request":             {func(s *workload.Spec) { s.Pattern = workload.DealerRouter }, `mode "poll" with pattern "dealerrouter": round trips do not have this mode; use one of ["blocking" "batch" "readahead"]`},
		"senders":             {func(s *workload.Spec) { s.Senders = -1 }, "senders -1: use 1 to 1000"},
		"too many senders":    {func(s *workload.Spec) { s.Senders = 1001 }, "senders 1001: use 1 to 1000"},
		"receivers":           {func(s *workload.Spec) { s.Receivers = -1 }, "receivers -1"},
		"too many receivers":  {func(s *workload.Spec) { s.Receivers = math.MaxInt }, "use 1 to 1000"},
		"one publisher":       {func(s *workload.Spec) { pattern(s, workload.PubSub); s.Senders = 2 }, `senders 2 with pattern "pubsub": it has one sender; use pattern "pushpull", "dealerrouter" or "reqrep"`},
		"one server":          {func(s *workload.Spec) { pattern(s, workload.ReqRep); s.Receivers = 2 }, `receivers 2 with pattern "reqrep": it has one receiver; use pattern "pushpull" or "pubsub"`},
		"one of each":         {func(s *workload.Spec) { pattern(s, workload.RouterRouter); s.Senders = 2 }, `senders 2 with pattern "routerrouter"`},
		"many to many":        {func(s *workload.Spec) { s.Senders, s.Receivers = 2, 2 }, "many to many"},
		"window":              {func(s *workload.Spec) { s.Window = -1 }, "window -1"},
		"window of REQ":       {func(s *workload.Spec) { pattern(s, workload.ReqRep); s.Window = 2 }, `window 2 with pattern "reqrep": only pattern "dealerrouter" has more than one request under way`},
		"encrypted memory":    {func(s *workload.Spec) { s.Transport, s.Curve = workload.InProc, true }, `curve with transport "inproc"`},
		"buffers of memory":   {func(s *workload.Spec) { s.Transport, s.InBatchSize = workload.InProc, 8192 }, `inbatch or outbatch with transport "inproc"`},
		"inbatch":             {func(s *workload.Spec) { s.InBatchSize = 1023 }, "inbatch 1023: use 1024 to 67108864 bytes"},
		"outbatch":            {func(s *workload.Spec) { s.OutBatchSize = -1 }, "outbatch -1"},
		"parts":               {func(s *workload.Spec) { s.Parts = -1 }, "parts -1"},
		"parts of a trip":     {func(s *workload.Spec) { pattern(s, workload.ReqRep); s.Size, s.Parts = 64, 2 }, `parts 2 with pattern "reqrep": several parts are measured one way`},
		"parts of a draft":    {func(s *workload.Spec) { pattern(s, workload.RadioDish); s.Size, s.Parts = 64, 2 }, `parts 2 with pattern "radiodish": its messages have one part`},
		"parts of a strategy": {func(s *workload.Spec) { strategy(s, workload.Bytes); s.Size, s.Parts = 64, 2 }, `parts 2 with strategy "bytes"`},
		"small parts":         {func(s *workload.Spec) { s.Size, s.Parts = 64, 9 }, "parts 9 of size 64: the first carries a number of 8 bytes; use a size of 72 or more"},
		"draft strategy":      {func(s *workload.Spec) { strategy(s, workload.Bytes); s.Pattern = workload.ScatterGather }, `strategy "bytes" with pattern "scattergather": draft patterns are measured in modes`},
		"draft in memory":     {func(s *workload.Spec) { pattern(s, workload.RadioDish); s.Transport = workload.InProc }, `pattern "radiodish" with transport "inproc": libzmq freezes`},
		"pin":                 {func(s *workload.Spec) { s.Pin = "0-" }, `pin "0-": "0-" is no list of processors`},
		"pins":                {func(s *workload.Spec) { s.Pin = "0/0/0/0" }, `pin "0/0/0/0": there are 4 lists`},
		"far processor":       {func(s *workload.Spec) { s.Pin = "0/1024" }, "below 1024"},
		"latency one way":     {func(s *workload.Spec) { s.Latency = true }, `latency with pattern "pushpull": only a round trip`},
		"latency of a batch":  {func(s *workload.Spec) { pattern(s, workload.DealerRouter); s.Mode, s.Latency = workload.Batch, true }, `latency with mode "batch"`},
		"latency of too many": {func(s *workload.Spec) { pattern(s, workload.ReqRep); s.Messages, s.Latency = 1e8+1, true }, "latency of 100000001 messages"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := good
			c.change(&spec)
			require.ErrorContains(t, spec.Validate(), c.want)
			_, err := workload.Open(t.Context(), spec)
			require.ErrorContains(t, err, c.want)
		})
	}
}

// The error names the missing feature of libzmq, for both implementations.
func TestTheDraftOptions(t *testing.T) {
	t.Parallel()
	for _, impl := range workload.Impls() {
		spec := workload.Spec{
			Pattern: workload.PushPull, Transport: workload.TCP, Mode: workload.Blocking, Impl: impl, Size: 8, Messages: 1000,
			InBatchSize: 1 << 17, OutBatchSize: 1 << 17,
		}
		require.Contains(t, spec.String(), "/mode=blocking/inbatch=131072/outbatch=131072/impl=")
		if !zmq.Has("draft") {
			_, err := workload.Open(t.Context(), spec)
			require.ErrorIs(t, err, zmq.ErrNotSupported)
			require.ErrorContains(t, err, "the draft API, which inbatch and outbatch take")
			continue
		}
		_, err := open(t, spec).Run()
		require.NoError(t, err)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	base := workload.Spec{Pattern: workload.PushPull, Transport: workload.TCP, Mode: workload.Batch, Impl: workload.Go, Size: 64}
	for want, change := range map[string]func(*workload.Spec){
		"pattern=pushpull/transport=tcp/size=64/mode=batch/impl=go":                   func(*workload.Spec) {},
		"pattern=pushpull/transport=tcp/size=64/strategy=bytes/mode=poll/impl=go":     func(s *workload.Spec) { s.Strategy, s.Mode = workload.Bytes, workload.Poll },
		"pattern=pushpull/transport=tcp/size=64/senders=16/mode=batch/impl=go":        func(s *workload.Spec) { s.Senders = 16 },
		"pattern=pushpull/transport=tcp/size=64/receivers=4/mode=batch/impl=go":       func(s *workload.Spec) { s.Receivers = 4 },
		"pattern=pubsub/transport=tcp/size=64/receivers=1/mode=batch/impl=go":         func(s *workload.Spec) { s.Pattern = workload.PubSub },
		"pattern=dealerrouter/transport=tcp/size=64/window=1/mode=batch/impl=go":      func(s *workload.Spec) { s.Pattern = workload.DealerRouter },
		"pattern=pushpull/transport=tcp/size=64/mode=batch/curve=on/impl=go":          func(s *workload.Spec) { s.Curve = true },
		"pattern=pushpull/transport=tcp/size=64/strategy=pooled/impl=go":              func(s *workload.Spec) { s.Mode, s.Strategy = "", workload.Pooled },
		"pattern=reqrep/transport=tcp/size=64/senders=4/mode=blocking/impl=go":        func(s *workload.Spec) { s.Pattern, s.Mode, s.Senders = workload.ReqRep, workload.Blocking, 4 },
		"pattern=pushpull/transport=tcp/size=64/mode=batch/inbatch=4096/impl=go":      func(s *workload.Spec) { s.InBatchSize = 4096 },
		"pattern=routerrouter/transport=tcp/size=64/mode=batch/outbatch=4096/impl=go": func(s *workload.Spec) { s.Pattern, s.OutBatchSize = workload.RouterRouter, 4096 },
	} {
		spec := base
		change(&spec)
		require.Equal(t, want, spec.String())
	}
}

func TestMessagesAreSharedEvenly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		spec           workload.Spec
		sent, received int
	}{
		{workload.Spec{Pattern: workload.PushPull, Size: 64}, 100_000, 100_000},
		{workload.Spec{Pattern: workload.PushPull, Size: 64, Senders: 16, Messages: 100}, 112, 112},
		{workload.Spec{Pattern: workload.PushPull, Size: 64, Receivers: 3, Messages: 1}, 3, 3},
		{workload.Spec{Pattern: workload.PubSub, Size: 64, Receivers: 10}, 10_000, 100_000},
		{workload.Spec{Pattern: workload.PubSub, Size: 64, Receivers: 10, Messages: 7}, 7, 70},
		{workload.Spec{Pattern: workload.DealerRouter, Size: 64}, 10_000, 10_000},
		{workload.Spec{Pattern: workload.ReqRep, Size: 64, Senders: 3}, 10_002, 10_002},
		{workload.Spec{Pattern: workload.ReqRep, Size: 1 << 18}, 256, 256},
		{workload.Spec{Pattern: workload.DealerDealer, Size: 64}, 100_000, 100_000},
	} {
		require.Equal(t, c.sent, c.spec.Sent(), c.spec)
		require.Equal(t, c.received, c.spec.Received(), c.spec)
	}
}
