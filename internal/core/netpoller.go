package core

import (
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/fault"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

var netpoller struct {
	starting sync.Mutex
	started  atomic.Bool
}

// StartNetpoller makes the Go runtime set up its netpoller now, unless it did so before. The
// runtime does it for the first timer or the first descriptor to wait for, and ends the process
// if no descriptors are left at that moment. Call StartNetpoller before either of them can be a
// program's first. It returns an EMFILE error if too few descriptors are free.
func StartNetpoller() error {
	if netpoller.started.Load() {
		return nil
	}
	netpoller.starting.Lock()
	defer netpoller.starting.Unlock()
	// The netpoller takes two, and so does the pipe that makes the runtime set it up.
	if rc := libzmq.ProbeFDs(4); rc < 0 {
		return fault.New(syscall.Errno(-rc), "there are fewer than 4 file descriptors left, and Go's runtime ends the process without them when it starts to wait; raise the limit (ulimit -n) or close some")
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	r.Close()
	w.Close()
	netpoller.started.Store(true)
	return nil
}
