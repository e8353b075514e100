package main

import (
	"slices"
	"strings"

	"github.com/aclements/go-moremath/stats"
)

// The units of time, of a message or else of an operation.
const (
	took    = "sec/msg|sec/op"
	cpuTook = "cpu-sec/msg|cpu-sec/op"
)

func ns(head, of string) column         { return column{head: head, unit: took, of: of, scale: 1e9} }
func times(head, of, per string) column { return column{head: head, unit: took, of: of, per: per} }
func cpuTimes(head, of, per string) column {
	return column{head: head, unit: cpuTook, of: of, per: per}
}

// The columns of several tables.
var (
	rate      = column{head: "msg/s", unit: "msg/s", as: si}
	volume    = column{head: "GB/s", unit: "GB/s", as: plain("%.3g")}
	calls     = column{head: "cgo calls/msg", unit: "cgo/msg|cgo/op", as: plain("%.2f")}
	allocs    = column{head: "allocs/10k msg", unit: "allocs/msg", scale: 1e4, as: plain("%.0f")}
	allocsOp  = column{head: "allocs/op", unit: "allocs/op", as: plain("%.0f")}
	bytes10k  = column{head: "B/10k msg", unit: "B/msg", scale: 1e4, as: plain("%.0f")}
	collected = column{head: "gc/run", unit: "gc/op", as: plain("%.3g")}
	average   = column{head: "mean", unit: took, scale: 1e9, as: statistic(stats.Mean)}
	deviation = column{head: "std. dev.", unit: took, scale: 1e9, as: statistic(stats.StdDev)}
)

// versusC returns the first columns of every comparison with the C baseline, and further
// columns of go-zmq after them.
func versusC(more ...column) []column {
	return append([]column{ns("go ns/msg", ""), ns("C ns/msg", "impl=c"), times("go/C", "", "impl=c"), cpuTimes("go/C, cpu", "", "impl=c")}, more...)
}

// beside returns the columns of another implementation.
func beside(impl, name string) []column {
	of := "impl=" + impl
	return []column{ns(name+" ns", of), times("/ go-zmq", of, "impl=go"), cpuTimes("cpu", of, "impl=go")}
}

// specs has all tables, in display order.
var specs = []spec{
	summary("summary", "pushpull", "PUSH to PULL"), summary("summary-router", "routerrouter", "ROUTER to ROUTER"),
	{
		name: "modes", title: "Receive modes", files: []string{"bench", "marks"},
		filter: ".name:(Receive OR Publish) /transport:tcp /impl:go", rows: "/pattern,/receivers,/marks,/size,/mode",
		columns: versusC(times("/ blocking", "", "mode=blocking"), average, deviation, rate, volume, allocs, bytes10k, collected, calls),
	},
	strategies("routerrouter"), strategies("pushpull"),
	{
		name: "malloc", title: "Large messages and malloc", files: []string{"malloc"},
		filter: ".name:Strategy", rows: "/size,/impl,/strategy,malloc",
		columns: []column{ns("ns/msg", ""), times("/ malloc default", "", "malloc=default")},
	},
	{
		name: "requests", title: "Requests", files: []string{"bench", "waiting"},
		filter: ".name:Request /transport:tcp /impl:go", rows: "/pattern,/window,/size,/mode",
		columns: versusC(rate, calls),
	},
	{
		name: "roundtrip", title: "Round trips", files: []string{"bench", "waiting"},
		filter: ".name:RoundTrip /impl:go", rows: "/transport,/size", columns: versusC(allocsOp, calls),
	},
	{
		name: "latency", title: "Latency of single round trips", files: []string{"bench", "waiting"},
		filter: ".name:Latency", rows: "/pattern,/transport,/window,/size,/impl",
		columns: []column{
			micros("p50"), micros("p90"), micros("p99"), micros("p99.9"), micros("max"),
			{head: "p50 / C", unit: "p50-sec", per: "impl=c"},
			{head: "p99 / C", unit: "p99-sec", per: "impl=c"},
		},
	},
	{
		name: "transports", title: "Transports", files: []string{"bench"},
		filter: ".name:Transport /impl:go", rows: "/pattern,/transport,/size,/mode",
		columns: versusC(times("/ tcp", "", "transport=tcp"), rate, calls),
	},
	{
		name: "fan", title: "Many senders, many receivers", files: []string{"bench"},
		filter: ".name:Fan /impl:go", rows: "/pattern,/senders,/receivers,/size,/mode", columns: versusC(rate, calls),
	},
	{
		name: "curve", title: "CURVE", files: []string{"bench"},
		filter: ".name:Curve /impl:go", rows: "/size,/curve",
		columns: versusC(times("/ without", "", "curve=off"), rate, calls),
		notes:   []string{"PUSH to PULL over tcp in batches."},
	},
	{
		name: "proxy", title: "Proxy", files: []string{"proxy"},
		filter: ".name:Proxy /impl:go", rows: "/pattern,/transport,/size",
		columns: []column{
			ns("Proxy ns", ""), ns("zmq_proxy ns", "impl=c"), times("Proxy/zmq_proxy", "", "impl=c"), cpuTimes("the same, cpu", "", "impl=c"),
		},
	},
	{
		name: "receiveside", title: "Reading ahead on the receiving side", files: []string{"bench"},
		filter: ".name:ReceiveSide", rows: "/ahead",
		columns: []column{ns("ns/msg", ""), times("/ without", "", "ahead=0"), allocsOp},
	},
	{
		name: "calls", title: "Cost of a call", files: []string{"bench"},
		filter: ".name:Call", rows: "/api,/size",
		columns: []column{ns("ns/op", ""), {head: "B/op", unit: "B/op", as: plain("%.0f")}, allocsOp},
	},
	{
		name: "pollerscale", title: "Polling many sockets", files: []string{"bench"},
		filter: ".name:PollerScale /impl:go /ready:one", rows: "/sockets",
		columns: []column{
			ns("one ready, ns", ""), ns("zmq_poll, ns", "impl=c"), times("ratio", "", "impl=c"),
			ns("all ready, ns", "ready=all"), ns("zmq_poll, ns", "ready=all,impl=c"), times("ratio", "ready=all", "impl=c"),
			times("one ready, of that with 10", "", "sockets=10"), allocsOp,
		},
	},
	{
		name: "parked", title: "Goroutines that wait", files: []string{"bench", "rivals"},
		filter: ".name:Parked", rows: "/impl,/sockets",
		columns: []column{
			{head: "threads of the process", unit: "threads", as: plain("%.0f")},
			{head: "threads held by receivers", unit: "pinned", as: plain("%.0f")},
			{head: "threads after all were woken", unit: "threads-woken", as: plain("%.0f")},
			{head: "idle CPU", unit: "idle-cpu-%", as: plain("%.1f %%")},
			{head: "ns/wake", unit: "sec/wake", scale: 1e9},
		},
	},
	{
		name: "rivals", title: "Other bindings", files: []string{"rivals"},
		filter: "/impl:go -.name:Parked", rows: ".name,/pattern,/transport,/window,/size,/mode",
		columns: slices.Concat([]column{ns("go-zmq ns", "")},
			beside("c", "C"), beside("pebbe", "pebbe/zmq4"), beside("goczmq", "goczmq"), beside("go-zeromq", "go-zeromq/zmq4")),
		notes: []string{
			"In the mode poll go-zmq sends and receives in batches, the others message by message.",
			"A ratio is the time divided by that of go-zmq; cpu is the same for the processor time. Empty: not available, or wrong.",
		},
	},
	{
		name: "engines", title: "The tuned engine", files: []string{"tuned"},
		filter: ".name:Engine /impl:go", rows: "/marks,/size,/engine",
		columns: versusC(times("/ default", "", "engine=default"), times("/ C default", "", "engine=default,impl=c"), rate, calls),
		notes:   []string{"PUSH to PULL over tcp in batches."},
	},
	{
		name: "vendored", title: "libzmq in the program, tuned", files: []string{"vendored"},
		filter: ".name:(Receive OR Publish) /transport:tcp /impl:go", rows: "/pattern,/size,/mode,libzmq",
		columns: versusC(times("/ the system's", "", "libzmq=system"), times("/ C with the system's", "", "libzmq=system,impl=c"), rate),
		notes: []string{
			"vendored is libzmq 4.3.5 by zvendor --tuned, which reads and writes in batches of 128 KiB instead of 8 KiB.",
			"With either, C is the same program's loop on the same libzmq.",
		},
	},
}

// summary has one row for each implementation and way to receive. If there are no other
// bindings, the mode poll of go-zmq represents its batches.
func summary(name, pattern, title string) spec {
	columns := []column{{head: "64 B, msg/s", unit: "msg/s", as: marked}, times("/ C", "", "impl=c,mode=blocking"), times("/ pebbe", "", "impl=pebbe,mode=blocking")}
	for _, c := range columns[:3] {
		c.head, c.of = strings.Replace(c.head, "64 B", "1 KiB", 1), "size=1024"
		columns = append(columns, c)
	}
	return spec{
		name: name, title: "Go's ZeroMQ bindings over tcp, " + title, files: []string{"bindings", "rivals"},
		filter:  ".name:(Receive OR Bindings) /transport:tcp /size:64 (/mode:(blocking OR recvbytes) OR (/impl:go /mode:(batch OR poll))) /pattern:" + pattern,
		rows:    "/impl@(c go pebbe goczmq go-zeromq),/mode",
		columns: columns,
		plot:    "64 B, msg/s",
		calls: map[string]string{
			"C, blocking": "`zmq_recv`", "go-zmq, blocking": "`Recv(ctx, buf)`", "go-zmq, recvbytes": "`RecvBytes`", "go-zmq, batch": "`RecvBatch`",
			"pebbe/zmq4, blocking": "`RecvBytes`", "goczmq, blocking": "`RecvFrame`", "go-zeromq/zmq4, blocking": "`Recv`",
		},
	}
}

func strategies(pattern string) spec {
	return spec{
		name: "strategies-" + pattern, title: "Buffer strategies, " + pattern, files: []string{"strategies"},
		filter: ".name:Strategy /transport:tcp /pattern:" + pattern, rows: "/size,/mode,/impl,/strategy",
		columns: []column{
			ns("ns/msg", ""),
			times("/ message", "", "strategy=message,impl=go"), times("/ bytes", "", "strategy=bytes,impl=go"),
			times("/ C copy", "", "strategy=copy,impl=c"), times("/ C zerocopy", "", "strategy=zerocopy,impl=c"),
			average, deviation, rate, volume, allocs, bytes10k, collected, calls,
			{head: "pool hits", unit: "hit-%", as: plain("%.2f %%")},
		},
	}
}

func micros(name string) column {
	return column{head: name + ", µs", unit: name + "-sec", scale: 1e6}
}
