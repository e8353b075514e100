package zmq_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// Each of many goroutines that bind one socket is told the endpoint that it bound.
func TestBindAny(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		c := newContext(t)
		s := newSocket(t, c, zmq.Pull)
		const binds = 8
		bound := make([]string, binds)
		errs := make([]error, binds)
		var wg sync.WaitGroup
		for i := range binds {
			wg.Go(func() {
				name := endpoint
				if strings.HasPrefix(name, "inproc:") {
					name += strconv.Itoa(i)
				}
				bound[i], errs[i] = s.BindAny(name)
			})
		}
		wg.Wait()
		different := map[string]bool{}
		for i, b := range bound {
			require.NoError(t, errs[i])
			require.NotContains(t, b, "*")
			different[b] = true
			push := newSocket(t, c, zmq.Push)
			require.NoError(t, push.Connect(b))
			require.NoError(t, push.SendString(b))
			got, err := s.RecvString()
			require.NoError(t, err)
			require.Equal(t, b, got)
			require.NoError(t, s.Unbind(b))
		}
		require.Len(t, different, binds)
	})
}

func TestBindRange(t *testing.T) {
	t.Parallel()
	c := newContext(t)
	first, second := newSocket(t, c, zmq.Rep), newSocket(t, c, zmq.Rep)
	bound, err := first.BindAny("tcp://127.0.0.1:*")
	require.NoError(t, err)
	host, text, _ := strings.Cut(strings.TrimPrefix(bound, "tcp://"), ":")
	port, err := strconv.Atoi(text)
	require.NoError(t, err)

	_, err = second.BindRange("tcp://"+host, port, port)
	require.ErrorIs(t, err, syscall.EADDRINUSE)
	require.ErrorContains(t, err, fmt.Sprintf("all ports from %d to %d are in use", port, port))

	// The ports around are the system's to give, so some of them are free.
	other, err := second.BindRange("tcp://"+host, max(port-200, 1), min(port+200, 65535))
	require.NoError(t, err)
	require.NotEqual(t, bound, other)
	actual, err := second.LastEndpoint()
	require.NoError(t, err)
	require.Equal(t, other, actual)

	for _, ports := range [][2]int{{0, 10}, {10, 9}, {1, 65536}, {-5, -1}} {
		_, err = second.BindRange("tcp://127.0.0.1", ports[0], ports[1])
		require.ErrorIs(t, err, syscall.EINVAL)
	}
	_, err = second.BindRange("nonsense", 5000, 5010)
	require.ErrorIs(t, err, syscall.EINVAL, "what is not a matter of the port ends the search")
	require.NoError(t, second.Close())
	_, err = second.BindRange("tcp://127.0.0.1", 5000, 5010)
	require.ErrorIs(t, err, zmq.ErrClosed)
	_, err = (*zmq.Socket)(nil).BindAny("tcp://127.0.0.1:*")
	require.ErrorIs(t, err, zmq.ErrClosed)
}

func TestAttach(t *testing.T) {
	t.Parallel()
	c := newContext(t)
	a, b, in, out := newSocket(t, c, zmq.Pull), newSocket(t, c, zmq.Pull), inprocName(), inprocName()
	s := newSocket(t, c, zmq.Push)
	require.NoError(t, a.Bind(out))
	require.NoError(t, s.Attach("@"+in+", >"+out))
	require.NoError(t, b.Connect(in))
	for range 2 { // PUSH deals in turn
		require.NoError(t, s.SendString("x"))
	}
	for _, pull := range []*zmq.Socket{a, b} {
		got, err := pull.RecvString()
		require.NoError(t, err)
		require.Equal(t, "x", got)
	}

	for _, bad := range []string{"", in, "@", ">", "@" + inprocName() + ",", "@nonsense", "@" + in} {
		var e *zmq.Error
		require.ErrorAs(t, s.Attach(bad), &e, "%q", bad)
	}
	var none *zmq.Socket
	require.ErrorIs(t, none.Attach("@"+in), zmq.ErrClosed)
}
