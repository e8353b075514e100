package task

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// The first byte of a message says what it is. The package comment describes them all.
const (
	cmdReady  = 'R' // worker to queue: its window
	cmdAck    = 'A' // worker to queue: receipts
	cmdNack   = 'N' // worker to queue: receipts; the next part is the reason
	cmdReturn = 'G' // worker to queue: receipts of tasks that were not begun
	cmdExtend = 'E' // worker to queue: milliseconds, and receipts
	cmdBye    = 'B' // either way: the sender is closing
	cmdTask   = 'T' // queue to worker: a receipt, the attempt, the lease; the next part is the payload
	cmdHello  = 'H' // queue to worker: the answer to cmdReady

	receiptSize = 8 + 4 // the task, and the number of the delivery
	taskSize    = 1 + receiptSize + 4 + 4
	maxWindow   = 1<<16 - 1 // tasks that a worker may have, and receipts in a message
	maxReason   = 1024      // bytes
	lostProbes  = 5         // after the end of a connection
)

var (
	bigEndian = binary.BigEndian

	errClosed = &zmq.Error{Op: "task", Errno: syscall.ENOTSOCK, Detail: "closed, or not created by NewQueue or NewWorker"}
	errLapsed = errors.New("the lease ended before the worker acknowledged the task")
	errLeft   = errors.New("the worker left with the task")
)

func invalid(detail string) error {
	return &zmq.Error{Op: "task", Errno: syscall.EINVAL, Detail: detail}
}

// ended returns an error if ctx is nil or done.
func ended(ctx context.Context) error {
	if ctx == nil {
		return invalid("the context.Context is nil; pass context.Background() to wait without limit")
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("zmq: task: %w", err)
	}
	return nil
}

// say sends a message if the socket has room for it.
func say(s *zmq.Socket, parts ...[]byte) error {
	return s.SendMultipart(context.Background(), parts, zmq.DontWait)
}

// milliseconds appends a duration, rounded up.
func milliseconds(p []byte, d time.Duration) []byte {
	return bigEndian.AppendUint32(p, uint32(min((d+time.Millisecond-1)/time.Millisecond, math.MaxUint32)))
}
