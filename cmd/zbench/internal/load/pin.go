package load

import (
	"runtime"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/internal/libzmq/cfloor"
	"github.com/go-zmq/go-zmq/internal/workload"
	"github.com/go-zmq/go-zmq/zmq"
)

// pins returns on which processors a cell's threads run. The plan has looked at them.
func pins(c record.Cell) workload.Pin {
	p, _ := workload.ParsePin(c.Pin)
	return p
}

// onto runs f on a thread of its own, on some processors; none: as it is.
func onto(cpus []int, f func() error) error {
	if len(cpus) == 0 {
		return f()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	undo, err := cfloor.PinThread(cpus)
	if err != nil {
		return err
	}
	defer undo()
	return f()
}

// pinned adds to a context's settings where libzmq's threads run.
func pinned(c record.Cell, settings []zmq.ContextSetting) []zmq.ContextSetting {
	for _, cpu := range pins(c).IO {
		settings = append(settings, zmq.ThreadAffinityCPUAdd.To(cpu))
	}
	return settings
}
