package zmq_test

import (
	"bufio"
	"context"
	"encoding/gob"
	"encoding/json"
	"io"
	"log/slog"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

func TestReadWriter(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		a, b := pair(t, zmq.Pair, zmq.Pair, endpoint)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		from, to := zmq.NewReadWriter(ctx, a), zmq.NewReadWriter(ctx, b)
		n, err := from.Write(nil)
		require.Zero(t, n)
		require.NoError(t, err)

		// A reader with too little room loses nothing, and no message is read beyond.
		for _, text := range []string{"one\ntw", "o\n", "three\n"} {
			n := noErr(io.WriteString(from, text))(t)
			require.Len(t, text, n)
		}
		got := make([]byte, 10)
		n = noErr(to.Read(got[:4]))(t)
		require.Equal(t, "one\n", string(got[:n]))
		n = noErr(to.Read(got))(t)
		require.Equal(t, "tw", string(got[:n]))
		n = noErr(to.Read(nil))(t)
		require.Zero(t, n)
		lines := bufio.NewScanner(to)
		for _, want := range []string{"o", "three"} {
			require.True(t, lines.Scan())
			require.Equal(t, want, lines.Text())
		}

		require.NoError(t, a.SendMultipart(context.Background(), [][]byte{{}, []byte("de"), nil, []byte("f")}))
		n = noErr(to.Read(got))(t)
		require.Equal(t, "def", string(got[:n]))

		encoder, decoder := gob.NewEncoder(from), gob.NewDecoder(to)
		for i := range 3 {
			require.NoError(t, encoder.Encode(map[string]int{"n": i}))
			v := map[string]int{}
			require.NoError(t, decoder.Decode(&v))
			require.Equal(t, map[string]int{"n": i}, v)
		}

		cancel()
		require.ErrorIs(t, errOf(to.Read(got)), context.Canceled)
		require.ErrorIs(t, errOf(from.Write(got)), context.Canceled)
		require.NoError(t, a.Close())
		require.ErrorIs(t, errOf(zmq.NewReadWriter(t.Context(), a).Read(got)), zmq.ErrClosed)
		require.ErrorIs(t, errOf(zmq.NewReadWriter(t.Context(), nil).Write(got)), zmq.ErrClosed)
	})
}

func TestReadWriterEnvelope(t *testing.T) {
	t.Parallel()
	router, dealer := pair(t, zmq.Router, zmq.Dealer, inprocName(), zmq.RoutingID.To([]byte("peer")))
	id := []byte("peer")
	peer := zmq.NewReadWriter(t.Context(), router, id)
	id[0] = 'x' // it was copied
	there := zmq.NewReadWriter(t.Context(), dealer)
	require.NoError(t, errOf(io.WriteString(there, "ping")))
	buf := make([]byte, 10)
	n := noErr(peer.Read(buf))(t)
	require.Equal(t, "ping", string(buf[:n]))
	require.NoError(t, errOf(io.WriteString(peer, "pong")))
	n = noErr(there.Read(buf))(t)
	require.Equal(t, "pong", string(buf[:n]))

	short := zmq.NewReadWriter(t.Context(), dealer, []byte("a"))
	require.NoError(t, errOf(io.WriteString(peer, "pong")))
	require.ErrorIs(t, errOf(short.Read(buf)), syscall.EBADMSG)
}

// A logger of the standard library publishes: one record is one message, and its
// topic is the envelope.
func TestLoggingOverPub(t *testing.T) {
	t.Parallel()
	pub, sub := pair(t, zmq.XPub, zmq.Sub, "tcp://127.0.0.1:*")
	require.NoError(t, sub.Subscribe("log."))
	_, err := pub.RecvBytes(context.Background()) // the subscription
	require.NoError(t, err)
	logger := slog.New(slog.NewJSONHandler(zmq.NewReadWriter(t.Context(), pub, []byte("log.orders")), nil))
	for i := range 3 {
		logger.Info("placed", "number", i)
		parts := recvParts(t, sub)
		require.Len(t, parts, 2)
		require.Equal(t, "log.orders", string(parts[0]))
		var record struct {
			Msg    string
			Number int
		}
		require.NoError(t, json.Unmarshal(parts[1], &record))
		require.Equal(t, "placed", record.Msg)
		require.Equal(t, i, record.Number)
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		a, b := pair(t, zmq.Pair, zmq.Pair, endpoint)
		type order struct {
			Number int
			Items  []string
		}
		want := order{7, []string{"nut", "bolt"}}
		for _, send := range []func() error{
			func() error { return a.SendJSON(context.Background(), want) },
			func() error { return a.SendJSON(t.Context(), want, zmq.DontWait) },
		} {
			require.NoError(t, send())
			var got order
			require.NoError(t, b.RecvJSON(context.Background(), &got))
			require.Equal(t, want, got)
		}

		var e *zmq.Error
		require.ErrorIs(t, a.SendJSON(context.Background(), make(chan int)), syscall.EINVAL)
		var unsupported *json.UnsupportedTypeError
		require.ErrorAs(t, a.SendJSON(context.Background(), make(chan int)), &unsupported)
		require.ErrorIs(t, b.RecvJSON(context.Background(), &want, zmq.DontWait), zmq.ErrAgain)
		require.NoError(t, a.SendString(context.Background(), "{"))
		err := b.RecvJSON(t.Context(), &want)
		require.ErrorIs(t, err, syscall.EBADMSG)
		var syntax *json.SyntaxError
		require.ErrorAs(t, err, &syntax)
		require.NoError(t, a.SendString(context.Background(), "1"))
		require.ErrorAs(t, b.RecvJSON(context.Background(), nil), &e)

		// Each part of a message can be a value.
		require.NoError(t, a.SendString(context.Background(), "orders", zmq.SendMore))
		require.NoError(t, a.SendJSON(context.Background(), want))
		require.Equal(t, "orders", recvString(t, b))
		require.True(t, b.RecvMore())
		var got order
		require.NoError(t, b.RecvJSON(context.Background(), &got))
		require.Equal(t, want, got)
	})
}
