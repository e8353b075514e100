package main_test

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

// freePort returns a port that nobody uses, for what cannot be told to take any.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return port
}
