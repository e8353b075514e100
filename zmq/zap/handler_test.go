//go:build !asan

// Not under AddressSanitizer, whose leak detector finds the answers that libzmq itself
// loses when they make no sense.

package zap_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// A program's own ZAP handler with every kind of wrong answer: libzmq closes the
// connection, and neither hangs nor aborts.
func TestHandlersThatAnswerNonsense(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	zctx, err := zmq.NewContext()
	require.NoError(t, err)
	defer func() { require.NoError(t, zctx.Close()) }()
	w := &world{t: t, ctx: ctx, c: zctx}
	handler := w.socket(zmq.Rep)
	require.NoError(t, handler.Bind(endpoint))
	serverKeys := newKeys(t)
	type peers struct {
		server *zmq.Socket
		tap    *tap
		client zmq.Setting
	}
	var all []peers
	for _, settings := range [][2]zmq.Setting{
		{zmq.AsPlainServer("d"), zmq.AsPlainClient("u", "p")},
		{zmq.AsCurveServer(serverKeys.Secret, zmq.Authenticated("d")), zmq.AsCurveClient(serverKeys.Public)},
		{zmq.AsNullServer("d"), zmq.Linger.To(0)},
	} {
		server, inServer := w.server("tcp://127.0.0.1:*", settings[0], zmq.HandshakeInterval.To(500*time.Millisecond))
		all = append(all, peers{server, newTap(t, inServer), settings[1]})
	}
	long := strings.Repeat("x", 100_000)
	for _, reply := range [][]string{
		{""},
		{"1.0"},
		{"1.0", "1", "200", "OK", "u"},
		{"1.0", "1", "200", "OK", "u", "", "more"},
		{"1.1", "1", "200", "OK", "u", ""},
		{"", "1", "200", "OK", "u", ""},
		{"1.0", "2", "200", "OK", "u", ""},
		{"1.0", "", "200", "OK", "u", ""},
		{"1.0", "1", "201", "OK", "u", ""},
		{"1.0", "1", "2000", "OK", "u", ""},
		{"1.0", "1", "", "OK", "u", ""},
		{"1.0", "1", "100", "OK", "u", ""},
		{"1.0", "1", "600", "OK", "u", ""},
		{"1.0", "1", "\xff\x00\x00", "OK", "u", ""},
		{"1.0", "1", "200", "OK", "u", "nonsense"},
		{"1.0", "1", "200", "OK", "u", "\x01x\xff\xff\xff\xffy"},
		{"1.0", "1", "200", "OK", "u", "\x0bSocket-Type\x00\x00\x00\x01x"},
		{"1.0", "1", "200", "OK", long, long},
		{"1.0", "1", "400", "", "", ""},
		{"1.0", "1", "500", long, "", ""},
		nil, // no answer at all
	} {
		for _, p := range all {
			client, _ := w.client(p.tap.endpoint, p.client)
			request, err := handler.RecvMultipart(ctx)
			require.NoError(t, err)
			require.Equal(t, "1.0", string(request[0]))
			parts := make([][]byte, len(reply))
			for i, frame := range reply {
				parts[i] = []byte(frame)
			}
			if len(parts) > 0 {
				require.NoError(t, handler.SendMultipart(ctx, parts))
			} else {
				handler = w.replaced(handler)
			}
			select {
			case <-p.tap.ended:
			case <-ctx.Done():
				require.FailNow(t, "the connection did not end", "%.200q", reply)
			}
			w.silent(p.server)
			require.NoError(t, client.Close())
		}
	}
	// Now with correct answers, also for clients that have reconnected.
	go func() {
		for {
			if _, err := handler.RecvMultipart(ctx); err != nil {
				return
			}
			_ = handler.SendMultipart(ctx, [][]byte{[]byte("1.0"), []byte("1"), []byte("200"), nil, nil, nil})
		}
	}()
	for _, p := range all {
		_, message := w.client(p.tap.endpoint, p.client)
		got, err := p.server.RecvString(ctx)
		require.NoError(t, err)
		require.Equal(t, message, got)
	}
}

// replaced stops a handler without an answer and starts the next one.
func (w *world) replaced(handler *zmq.Socket) *zmq.Socket {
	w.t.Helper()
	require.NoError(w.t, handler.Unbind(endpoint))
	require.NoError(w.t, handler.Close())
	handler = w.socket(zmq.Rep)
	require.NoError(w.t, handler.Bind(endpoint))
	return handler
}
