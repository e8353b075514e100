// Package msgleak makes a test run fail when it leaves messages that nobody has closed
// or sent. Only tests import it.
package msgleak

import (
	"fmt"

	"github.com/go-zmq/go-zmq/internal/leak"
	"github.com/go-zmq/go-zmq/internal/libzmq/msgwatch"
)

// Watch begins to count messages. It is one of the functions to give to leak.Main,
// before any that makes one.
func Watch() {
	msgwatch.Begin()
	leak.Also(func() error {
		if n, held := msgwatch.Held(); n > 0 {
			return fmt.Errorf("messages that nobody closed or sent, %d contents:\n%s", n, held)
		}
		return nil
	})
}
