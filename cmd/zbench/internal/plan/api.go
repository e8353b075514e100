package plan

import (
	"slices"

	"github.com/go-zmq/go-zmq/internal/workload"
)

// An api is a way to send and receive: a mode of package workload, or a strategy.
type api struct {
	name     string
	mode     workload.Mode
	strategy workload.Strategy
	what     string
}

// apis are all of them, in the order in which "all" measures them.
var apis = []api{
	{"blocking", workload.Blocking, "", "Send and Recv into one buffer, one message a call"},
	{"batch", workload.Batch, "", "SendBatch and RecvBatch: many messages a call"},
	{"readahead", workload.ReadAhead, "", "SendBatch, and Recv on a socket with ReadAhead"},
	{"poll", workload.Poll, "", "a Poller, then all that is there"},
	{"sleep", workload.Sleep, "", "Recv without waiting, 1 ms of sleep when nothing is there"},
	{"bytes", "", workload.Bytes, "a new slice for each message"},
	{"syncpool", "", workload.SyncPool, "slices from a sync.Pool"},
	{"message", "", workload.Message, "one Message, used again"},
	{"zerocopy", "", workload.ZeroCopy, "memory of the program's, lent to libzmq"},
	{"pool", "", workload.Pooled, "Messages of package pool"},
	{"batchcopy", "", workload.BatchCopy, "as batch, with the high-water marks of the strategies"},
}

func findAPI(name string) (a api, ok bool) {
	i := slices.IndexFunc(apis, func(a api) bool { return a.name == name })
	if i < 0 {
		return api{}, false
	}
	return apis[i], true
}

// APINames returns the names, "all" too.
func APINames() []string {
	var names []string
	for _, a := range apis {
		names = append(names, a.name)
	}
	return append(names, "all")
}

// APIHelp returns a line for each, name and what it is.
func APIHelp() [][2]string {
	var lines [][2]string
	for _, a := range apis {
		lines = append(lines, [2]string{a.name, a.what})
	}
	return lines
}

// floor returns C's way beside this one.
func (a api) floor() api {
	if a.strategy == "" {
		return a
	}
	if a.strategy == workload.ZeroCopy {
		return api{strategy: workload.ZeroCopy}
	}
	return api{strategy: workload.Copy}
}
