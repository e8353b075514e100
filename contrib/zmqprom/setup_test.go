package zmqprom_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

const zmqtestPatience, tick = 30 * time.Second, time.Millisecond

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
