package faults_test

import (
	"testing"

	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
)

// A child must not leak after a fault. This is also its main function.
func TestMain(m *testing.M) { testutil.Main(m, zmqtest.OpenReleasePipe) }
