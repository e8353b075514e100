package workload_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/bench/workload"
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
