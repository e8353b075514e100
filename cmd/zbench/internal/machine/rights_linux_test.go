package machine

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMissing(t *testing.T) {
	t.Parallel()
	fine := func() error { return nil }
	none := func() error { return syscall.EAFNOSUPPORT }
	all := rights{effective: ^uint64(0), lowest: 1024, tipc: fine}
	nobody := rights{lowest: 1024, tipc: none}
	for _, c := range []struct {
		transport string
		port      int
		rights    rights
		want      string
	}{
		{"pgm", 0, all, ""},
		{"pgm", 0, nobody, "pgm takes raw sockets: run it as root or with CAP_NET_RAW, or use epgm, which takes none"},
		{"epgm", 0, nobody, ""},
		{"tipc", 0, all, ""},
		{"tipc", 0, nobody, "the kernel gives no TIPC socket (address family not supported by protocol): load its module, which takes CAP_SYS_MODULE: modprobe tipc"},
		{"tcp", 80, all, ""},
		{"tcp", 80, nobody, "binding a port below 1024 takes CAP_NET_BIND_SERVICE: use a higher port"},
		{"tcp", 1024, nobody, ""},
		{"tcp", 0, nobody, ""},
	} {
		require.Equal(t, c.want, missing(c.transport, c.port, c.rights), "%s %d", c.transport, c.port)
	}
	require.Equal(t, uint64(0x2400), capabilities("Name:\tx\nCapEff:\t0000000000002400\n"))
	require.True(t, rights{effective: 0x2400}.has(capNetRaw))
	require.True(t, rights{effective: 0x2400}.has(capNetBindService))
	require.Equal(t, ^uint64(0), capabilities("nothing of it"))
	require.Equal(t, 1024, lowestPort("1024"))
	require.Zero(t, lowestPort(""))
	require.Empty(t, Missing("tcp", 0))
}
