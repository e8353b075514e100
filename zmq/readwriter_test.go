package zmq_test

import (
	"bufio"
	"context"
	"encoding/gob"
	"encoding/json"
	"io"
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
		require.Zero(t, noErr(from.Write(nil))(t))

		// A reader with too little room loses nothing, and no message is read beyond.
		for _, text := range []string{"one\ntw", "o\n", "three\n"} {
			require.Len(t, text, noErr(io.WriteString(from, text))(t))
		}
		got := make([]byte, 10)
		for size, want := range []string{4: "one\n", 9: "tw"} {
			if want != "" {
				n := noErr(to.Read(got[:size]))(t)
				require.Equal(t, want, string(got[:n]))
			}
		}
		require.Zero(t, noErr(to.Read(nil))(t))
		lines := bufio.NewScanner(to)
		for _, want := range []string{"o", "three"} {
			require.True(t, lines.Scan())
			require.Equal(t, want, lines.Text())
		}
		require.NoError(t, a.SendMultipart(context.Background(), [][]byte{{}, []byte("de"), nil, []byte("f")}))
		n := noErr(to.Read(got))(t)
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
	peer, there := zmq.NewReadWriter(t.Context(), router, id), zmq.NewReadWriter(t.Context(), dealer)
	id[0] = 'x' // it was copied
	buf := make([]byte, 10)
	for text, both := range map[string][2]io.ReadWriter{"ping": {there, peer}, "pong": {peer, there}} {
		if text == "pong" { // the ROUTER has to know its peer
			require.NoError(t, dealer.SendString(t.Context(), "hello"))
			noErr(peer.Read(buf))(t)
		}
		noErr(io.WriteString(both[0], text))(t)
		n := noErr(both[1].Read(buf))(t)
		require.Equal(t, text, string(buf[:n]))
	}
	noErr(io.WriteString(peer, "pong"))(t)
	require.ErrorIs(t, errOf(zmq.NewReadWriter(t.Context(), dealer, []byte("a")).Read(buf)), syscall.EBADMSG)
}

func TestJSON(t *testing.T) {
	t.Parallel()
	a, b := pair(t, zmq.Pair, zmq.Pair, inprocName())
	type order struct {
		Number int
		Items  []string
	}
	ctx, want, got := within(t), order{7, []string{"nut", "bolt"}}, order{}
	// Each part of a message can be a value.
	require.NoError(t, a.SendString(ctx, "orders", zmq.SendMore))
	require.NoError(t, a.SendJSON(ctx, want, zmq.DontWait))
	require.Equal(t, "orders", recvString(t, b))
	require.True(t, b.RecvMore())
	require.NoError(t, b.RecvJSON(ctx, &got))
	require.Equal(t, want, got)

	err := a.SendJSON(ctx, make(chan int))
	require.ErrorIs(t, err, syscall.EINVAL)
	var unsupported *json.UnsupportedTypeError
	require.ErrorAs(t, err, &unsupported)
	require.ErrorIs(t, b.RecvJSON(ctx, &want, zmq.DontWait), zmq.ErrAgain)
	require.NoError(t, a.SendString(ctx, "{"))
	err = b.RecvJSON(ctx, &want)
	require.ErrorIs(t, err, syscall.EBADMSG)
	var syntax *json.SyntaxError
	require.ErrorAs(t, err, &syntax)
	require.NoError(t, a.SendString(ctx, "1"))
	var e *zmq.Error
	require.ErrorAs(t, b.RecvJSON(ctx, nil), &e)
}
