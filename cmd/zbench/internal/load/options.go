package load

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-zmq/go-zmq/zmq"
)

// An option that a cell can have. Its value is a whole number.
type option struct {
	socket  []zmq.Option[int]
	context zmq.ContextOption[int]
	least   int
}

// optionTable has libzmq's names, without ZMQ_. HWM is the high-water mark of both sides.
var optionTable = map[string]option{
	"HWM":        {socket: []zmq.Option[int]{zmq.SendHWM, zmq.RecvHWM}},
	"SNDHWM":     {socket: []zmq.Option[int]{zmq.SendHWM}},
	"RCVHWM":     {socket: []zmq.Option[int]{zmq.RecvHWM}},
	"SNDBUF":     {socket: []zmq.Option[int]{zmq.SendBuffer}},
	"RCVBUF":     {socket: []zmq.Option[int]{zmq.RecvBuffer}},
	"IO_THREADS": {context: zmq.IOThreads, least: 1},
}

// OptionNames returns the names of the options, sorted.
func OptionNames() []string { return slices.Sorted(maps.Keys(optionTable)) }

// Options returns options as a cell has them, such as "IO_THREADS=2,SNDHWM=10", or what is
// wrong with them.
func Options(values map[string]string) (string, error) {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		o, ok := optionTable[name]
		if !ok {
			return "", fmt.Errorf("--sockopt %s: unknown option; use one of %s", name, strings.Join(OptionNames(), " "))
		}
		n, err := strconv.Atoi(values[name])
		if err != nil || n < o.least {
			return "", fmt.Errorf("--sockopt %s=%s: use a whole number from %d up", name, values[name], o.least)
		}
		list = append(list, fmt.Sprintf("%s=%d", name, n))
	}
	return strings.Join(list, ","), nil
}

// Settings returns the settings of options in the form of Options. Those of sockets are
// defaults of the context, because SUB and DISH have no SendHWM.
func Settings(list string) ([]zmq.ContextSetting, error) {
	if list == "" {
		return nil, nil
	}
	var ofContext []zmq.ContextSetting
	var ofSockets []zmq.Setting
	for pair := range strings.SplitSeq(list, ",") {
		name, value, _ := strings.Cut(pair, "=")
		o, ok := optionTable[name]
		n, err := strconv.Atoi(value)
		if !ok || err != nil {
			return nil, fmt.Errorf("unknown option %q", pair)
		}
		for _, s := range o.socket {
			ofSockets = append(ofSockets, s.To(n))
		}
		if len(o.socket) == 0 {
			ofContext = append(ofContext, o.context.To(n))
		}
	}
	return append(ofContext, zmq.SocketDefaults(ofSockets...)), nil
}
