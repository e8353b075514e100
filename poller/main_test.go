package poller_test

import (
	"testing"

	"github.com/go-zmq/go-zmq/internal/testutil"
	"github.com/go-zmq/go-zmq/internal/testutil/intercept"
)

func TestMain(m *testing.M) { testutil.Main(m, intercept.CheckMessages) }
