package faults_test

import (
	"testing"

	"github.com/go-zmq/go-zmq/internal/testutil"
	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
)

// What goes wrong in a child must not leave anything behind either: this is its main
// function, too.
func TestMain(m *testing.M) { testutil.Main(m, zmqtest.OpenReleasePipe) }
