package faults_test

import (
	"testing"

	"github.com/go-zmq/go-zmq/internal/testutil"
	"github.com/go-zmq/go-zmq/zmq"
)

// What goes wrong in a child must not leave anything behind either: this is its main
// function, too.
func TestMain(m *testing.M) { testutil.Main(m, openReleasePipe) }

// openReleasePipe makes a zero-copy message: the first one opens a pipe that stays
// open for the life of the process.
func openReleasePipe() {
	m, err := zmq.NewMessageZeroCopy(make([]byte, 1), nil)
	if err != nil {
		panic(err)
	}
	_ = m.Close()
}
