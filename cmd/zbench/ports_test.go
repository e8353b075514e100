package main_test

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// freePort returns a port that nobody uses, for what cannot be told to take any. It is
// below those that systems give to who takes any, so that nobody gets it meanwhile.
func freePort(t *testing.T) string {
	t.Helper()
	for {
		port := strconv.Itoa(10_000 + rand.IntN(20_000))
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			require.NoError(t, l.Close())
			return port
		}
	}
}
