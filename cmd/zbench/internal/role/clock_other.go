//go:build !linux

package role

import (
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
)

// monotonic returns the time on a clock of this process.
func monotonic() time.Duration { return pace.Now() }

// clockID says that no other process has this clock.
func clockID() uint32 { return 0 }
