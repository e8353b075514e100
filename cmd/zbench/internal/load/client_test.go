package load

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/zmq"
)

// foreign is a server of another program. It returns its endpoint.
func foreign(t *testing.T, typ zmq.SocketType, answer func(n int, m [][]byte) [][]byte) string {
	t.Helper()
	zctx, err := zmq.NewContext()
	require.NoError(t, err)
	s, err := zctx.NewSocket(typ, zmq.Linger.To(0))
	require.NoError(t, err)
	require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
	endpoint, err := s.LastEndpoint()
	require.NoError(t, err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for n := 0; ; n++ {
			m, err := s.RecvMultipart(context.Background())
			if err != nil {
				return
			}
			if m = answer(n, m); m == nil {
				continue
			}
			if s.SendMultipart(context.Background(), m) != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		assert.NoError(t, zctx.Close())
		<-ended
	})
	return endpoint
}

func same(_ int, m [][]byte) [][]byte { return m }

// Clients of all patterns talk to an echo that is elsewhere.
func TestEchoElsewhere(t *testing.T) {
	t.Parallel()
	for pattern, typ := range map[string]zmq.SocketType{"reqrep": zmq.Router, "dealerrouter": zmq.Router, "routerrouter": zmq.Router, "dealerdealer": zmq.Dealer, "pair": zmq.Pair} {
		t.Run(pattern, func(t *testing.T) {
			t.Parallel()
			cell, method := lat(pattern, "tcp"), short
			method.Endpoint = foreign(t, typ, same)
			r, err := Measure(t.Context(), cell, method, nil)
			require.NoError(t, err)
			require.Positive(t, r.Messages)
		})
	}
}

// A peer with another pattern is named: a REP, which drops what a DEALER sends, and a
// socket type that refuses the connection.
func TestMismatchIsNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		client string
		peer   zmq.SocketType
		want   string
	}{
		"DEALER to REP":  {"dealerrouter", zmq.Rep, "the peer is a REP and drops what a DEALER sends; use --pattern reqrep"},
		"DEALER to PULL": {"dealerrouter", zmq.Pull, "its socket type does not fit a DEALER"},
		"REQ to PUB":     {"reqrep", zmq.Pub, "its socket type does not fit a REQ"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			method := short
			method.Endpoint = foreign(t, c.peer, same)
			_, err := Measure(t.Context(), lat(c.client, "tcp"), method, nil)
			require.ErrorContains(t, err, c.want)
			require.True(t, Mismatched(err))
		})
	}
}

// A peer that does not send back what it gets is named.
func TestPeersThatDoNotEcho(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer func(int, [][]byte) [][]byte
		want   string
	}{
		"short":       {func(int, [][]byte) [][]byte { return [][]byte{[]byte("no")} }, "a message of 64 B was answered with 2 B"},
		"long":        {func(int, [][]byte) [][]byte { return [][]byte{make([]byte, 100)} }, "a message of 64 B was answered with a longer one"},
		"a byte more": {func(_ int, m [][]byte) [][]byte { return [][]byte{append(m[0], 0)} }, "a message of 64 B was answered with 65 B"},
		"other":       {func(int, [][]byte) [][]byte { return [][]byte{bytes.Repeat([]byte{'a'}, 64)} }, "the peer must send back what it gets"},
		"silent":      {func(n int, m [][]byte) [][]byte { return nil }, "the peer did not answer in 3s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			method := short
			method.Endpoint = foreign(t, zmq.Pair, c.answer)
			_, err := Measure(t.Context(), lat("pair", "tcp"), method, nil)
			require.ErrorContains(t, err, c.want)
		})
	}
}

// A lost message fails a run: at once if a numbered one follows, otherwise at the end.
func TestALostMessageFailsARun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		size int
		want string
	}{
		"numbered": {64, "message 6 came in place of message 5: the peer must send back each message once, and in order"}, "without a number": {4, "please report it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cell, method := openLoop("dealerrouter", "tcp", 2000), short
			cell.Size, method.Warmup, method.Duration = c.size, 0, time.Second // more than five, whatever stalls
			method.Endpoint = foreign(t, zmq.Router, func(n int, m [][]byte) [][]byte {
				if n == 5 {
					return nil
				}
				return m
			})
			_, err := Measure(t.Context(), cell, method, nil)
			require.ErrorContains(t, err, c.want)
		})
	}
}

// A run that waits for a reply that never comes says at its end what is missing.
func TestAReplyThatNeverComes(t *testing.T) {
	t.Parallel()
	overdue := errors.New("overdue")
	ctx, cancel := context.WithCancelCause(t.Context())
	method := short
	method.Duration = time.Hour
	method.Endpoint = foreign(t, zmq.Router, func(n int, m [][]byte) [][]byte {
		if n == 5 {
			cancel(overdue)
			return nil
		}
		return m
	})
	_, err := Measure(ctx, lat("dealerrouter", "tcp"), method, nil)
	require.ErrorIs(t, err, overdue)
	require.ErrorContains(t, err, "overdue; 1 of 6 messages did not come back")
}

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	zctx, err := zmq.NewContext()
	require.NoError(t, err)
	defer zctx.Close()
	s, err := zctx.NewSocket(zmq.Dealer, zmq.Linger.To(0))
	require.NoError(t, err)
	endpoint := "ipc://" + t.TempDir() + "/none"
	_, err = Attach(t.Context(), s, endpoint, 20*time.Millisecond, func() error { return s.Connect(endpoint) }, func(ctx context.Context) error { return s.WaitConnected(ctx, 1) }, Watch{})
	require.Equal(t, record.Unfit, record.ExitCode(err))
}
