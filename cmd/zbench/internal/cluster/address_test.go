package cluster

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheckBind(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{{"", ""}, {"*", "10.1.2.3"}, {"127.0.0.1", "127.0.0.1"}, {"localhost", ""}, {"10.1.2.3", "10.1.2.3"}} {
		require.NoError(t, CheckBind(c[0], c[1]), "%v", c)
	}
	for _, c := range [][2]string{{"127.0.0.1", "10.1.2.3"}, {"::1", "fe80::1"}, {"localhost", "host-1"}} {
		require.ErrorContains(t, CheckBind(c[0], c[1]), "is reached from this host only, and others are told to connect to "+c[1])
	}
}
