package load

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-zmq/go-zmq/zmq"
)

// An option that a cell can have: its value is a whole number.
type option struct {
	socket  []zmq.Option[int]
	context zmq.ContextOption[int]
	flags   []zmq.Option[bool]
	least   int
}

// optionTable has flag names, and libzmq's for --sockopt.
var optionTable = map[string]option{
	"hwm":        {socket: []zmq.Option[int]{zmq.SendHWM, zmq.RecvHWM}},
	"io-threads": {context: zmq.IOThreads, least: 1},
	"sndbuf":     {socket: []zmq.Option[int]{zmq.SendBuffer}},
	"rcvbuf":     {socket: []zmq.Option[int]{zmq.RecvBuffer}},
	"tos":        {socket: []zmq.Option[int]{zmq.TOS}},
	"SNDHWM":     {socket: []zmq.Option[int]{zmq.SendHWM}},
	"RCVHWM":     {socket: []zmq.Option[int]{zmq.RecvHWM}},
	"BACKLOG":    {socket: []zmq.Option[int]{zmq.Backlog}},
	"IMMEDIATE":  {flags: []zmq.Option[bool]{zmq.Immediate}},
	"IPV6":       {flags: []zmq.Option[bool]{zmq.IPv6}},
	inBatch:      {socket: []zmq.Option[int]{zmq.InBatchSize}, least: 1},
	outBatch:     {socket: []zmq.Option[int]{zmq.OutBatchSize}, least: 1},
}

// OptionNames returns the names of options, in their order.
func OptionNames() []string { return slices.Sorted(maps.Keys(optionTable)) }

// Options returns options as a cell has them, such as "hwm=10,io-threads=2", or
// what is wrong with them.
func Options(values map[string]string) (string, error) {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		o, ok := optionTable[name]
		if !ok {
			return "", fmt.Errorf("option %q is not known; use one of %s", name, strings.Join(OptionNames(), " "))
		}
		n, err := strconv.Atoi(values[name])
		if err != nil || n < o.least {
			return "", fmt.Errorf("option %s=%s: use a whole number from %d up", name, values[name], o.least)
		}
		list = append(list, fmt.Sprintf("%s=%d", name, n))
	}
	return strings.Join(list, ","), nil
}

// options returns the settings of a cell's options.
func options(list string) (ofContext []zmq.ContextSetting, ofSockets []zmq.Setting, err error) {
	if list == "" {
		return nil, nil, nil
	}
	var defaults []zmq.Setting
	for pair := range strings.SplitSeq(list, ",") {
		name, value, _ := strings.Cut(pair, "=")
		o, ok := optionTable[name]
		n, err := strconv.Atoi(value)
		if !ok || err != nil {
			return nil, nil, fmt.Errorf("option %q is none that a cell can have", pair)
		}
		for _, s := range o.socket {
			if s.Number() == zmq.SendHWM.Number() { // SUB and DISH do not have it
				defaults = append(defaults, s.To(n))
				continue
			}
			ofSockets = append(ofSockets, s.To(n))
		}
		for _, s := range o.flags {
			ofSockets = append(ofSockets, s.To(n != 0))
		}
		if len(o.socket) == 0 && len(o.flags) == 0 {
			ofContext = append(ofContext, o.context.To(n))
		}
	}
	if defaults != nil {
		ofContext = append(ofContext, zmq.SocketDefaults(defaults...))
	}
	return ofContext, ofSockets, nil
}

// The options that throughput cells can have: package workload sets the others.
const inBatch, outBatch = "IN_BATCH_SIZE", "OUT_BATCH_SIZE"

// buffers returns the sizes of libzmq's buffers; 0: its own.
func buffers(list string) (in, out int) {
	for pair := range strings.SplitSeq(list, ",") {
		name, value, _ := strings.Cut(pair, "=")
		n, _ := strconv.Atoi(value) // Options has seen that it is a number
		switch name {
		case inBatch:
			in = n
		case outBatch:
			out = n
		}
	}
	return in, out
}

// ThroughputOptions returns the names of the options that throughput cells can have.
func ThroughputOptions() []string { return []string{inBatch, outBatch} }

// foreign returns the flag of the first option that package workload does not know.
func foreign(list string) string {
	if list == "" {
		return ""
	}
	for pair := range strings.SplitSeq(list, ",") {
		name, _, _ := strings.Cut(pair, "=")
		switch {
		case slices.Contains(ThroughputOptions(), name):
		case strings.ToUpper(name) == name: // libzmq's, which have no flag of their own
			return "--sockopt " + name
		default:
			return "--" + name
		}
	}
	return ""
}

// keys are a run's own CURVE keys; none for an empty security.
type keys struct {
	public, secret string
}

func newKeys(security string) (k keys, err error) {
	if security == "curve" {
		k.public, k.secret, err = zmq.NewCurveKeypair()
	}
	return k, err
}

func (k keys) server() []zmq.Setting {
	if k.secret == "" {
		return nil
	}
	return []zmq.Setting{zmq.AsCurveServer(k.secret, zmq.AllowAnyClient())}
}

func (k keys) client() []zmq.Setting {
	if k.public == "" {
		return nil
	}
	return []zmq.Setting{zmq.AsCurveClient(k.public)}
}
