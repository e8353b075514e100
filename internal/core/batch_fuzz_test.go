package core

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// FuzzBatch appends, looks, drops, sends and receives in any order. The operations decide whether
// the batch is packed or in slots. Its content always equals the model, and sent messages arrive.
func FuzzBatch(f *testing.F) {
	const (
		appendOne = iota // a byte: the number of parts; of each a byte for its length
		look
		skip // a byte: how many
		reset
		send
		receive
		operations
	)
	f.Add([]byte{appendOne, 0, 5, send, receive})
	f.Add([]byte{appendOne, 2, 0, 33, 255, appendOne, 0, 200, look, appendOne, 1, 3, 4, skip, 1, send, receive})
	f.Add([]byte{look, send, receive, skip, 9, reset, appendOne, 7, 250, 250, 250, 250, 250, 250, 250, 250, skip, 0, look, send, appendOne, 0, 1, send, receive, receive})
	many := []byte{}
	for range 40 {
		many = append(many, appendOne, 0, 250, appendOne, 1, 249, 31, skip, 1)
	}
	f.Add(append(many, send, receive, receive))
	require.NoError(f, libzmq.Load())
	c, err := NewContext()
	require.NoError(f, err)
	f.Cleanup(func() { require.NoError(f, c.Close(context.Background())) })
	f.Fuzz(func(t *testing.T, program []byte) {
		at := 0
		next := func() (b byte) {
			if at < len(program) {
				b = program[at]
			}
			at++
			return b
		}
		left, right := newTestSocket(t, c, libzmq.Pair, 0), newTestSocket(t, c, libzmq.Pair, 0)
		defer left.Close()
		defer right.Close()
		require.NoError(t, left.Bind("inproc://fuzz"))
		require.NoError(t, right.Connect("inproc://fuzz"))
		var out, in Batch
		const most = 100
		out.Init(most)
		in.Init(3)
		defer func() {
			require.NoError(t, out.Close())
			require.NoError(t, in.Close())
		}()
		var held, sent [][][]byte
		for seed := byte(1); at < len(program); seed++ {
			switch next() % operations {
			case appendOne:
				parts := make([][]byte, 1+next()%8)
				for i := range parts {
					n := int(next())
					if n > 250 {
						n *= 40 // beyond what is packed at first
					}
					parts[i] = make([]byte, n)
					for k := range parts[i] {
						parts[i][k] = seed + byte(k)
					}
				}
				err := out.Append(parts)
				if len(held) == most {
					require.ErrorIs(t, err, errBatchFull)
					continue
				}
				require.NoError(t, err)
				held = append(held, parts)
			case look:
				require.Equal(t, len(held), out.Len())
				for i, parts := range held {
					requireParts(t, parts, out.At(i))
				}
				require.Nil(t, out.At(len(held)))
				require.Nil(t, out.At(-1))
			case skip:
				n := int(int8(next()))
				dropped := max(min(n, len(held)), 0)
				require.Equal(t, dropped, out.Skip(n))
				held = held[dropped:]
			case reset:
				out.Reset()
				held = nil
			case send:
				n, err := left.SendBatch(context.Background(), &out, true)
				require.NoError(t, err)
				require.Equal(t, len(held), n)
				require.Zero(t, out.Len())
				sent, held = append(sent, held...), nil
			case receive:
				n, err := right.RecvBatch(context.Background(), &in, true)
				if len(sent) == 0 {
					require.Error(t, err)
					continue
				}
				require.NoError(t, err)
				require.Positive(t, n)
				for i, parts := range sent[:n] {
					requireParts(t, parts, in.At(i))
				}
				sent = sent[n:]
			}
		}
	})
}

func requireParts(t *testing.T, want [][]byte, got []libzmq.Msg) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		require.Equal(t, string(want[i]), string(got[i].Bytes()))
		require.Equal(t, i < len(want)-1, got[i].More())
	}
}
