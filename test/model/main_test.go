package model

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/test/testutil/intercept"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
)

func TestMain(m *testing.M) { testutil.Main(m, intercept.CheckMessages, zmqtest.OpenReleasePipe) }

// noErr returns a function that fails the test if the call returned an error, and otherwise
// returns its value.
func noErr[T any](value T, err error) func(require.TestingT) T {
	return func(t require.TestingT) T {
		require.NoError(t, err)
		return value
	}
}

// errOf returns the error of a call.
func errOf[T any](_ T, err error) error { return err }
