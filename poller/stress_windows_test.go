package poller_test

import (
	"math/rand/v2"
	"sync"

	"github.com/go-zmq/go-zmq/poller"
)

// oneLifeOfFD does nothing: the test's descriptors are pairs of UNIX domain sockets.
func oneLifeOfFD(*poller.Poller, *sync.Map, chan struct{}, func() error, *rand.Rand) error {
	return nil
}
