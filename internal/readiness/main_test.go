package readiness_test

import (
	"testing"

	"github.com/go-zmq/go-zmq/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }
