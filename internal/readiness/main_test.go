package readiness_test

import (
	"testing"

	"github.com/go-zmq/go-zmq/test/testutil"
)

func TestMain(m *testing.M) { testutil.Main(m) }
