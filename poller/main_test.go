package poller_test

import (
	"testing"

	"github.com/go-zmq/go-zmq/internal/leak"
	"github.com/go-zmq/go-zmq/internal/leak/msgleak"
)

func TestMain(m *testing.M) { leak.Main(m, msgleak.Watch) }
