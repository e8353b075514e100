package zmq_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// A part that leaves a batch stays valid after the batch reuses and frees its memory.
func TestPartsOutliveBatch(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	parts := [][]byte{payload(50), {}, payload(1000)}
	for name, move := range map[string]func(t *testing.T, from zmq.Multipart) zmq.Multipart{
		"MoveTo": func(t *testing.T, from zmq.Multipart) zmq.Multipart {
			p := make(zmq.Multipart, len(from))
			for i := range from {
				require.NoError(t, from[i].MoveTo(&p[i]))
				require.Equal(t, i < len(p)-1, p[i].More())
			}
			return p
		},
		"Append": func(t *testing.T, from zmq.Multipart) (p zmq.Multipart) {
			for i := range from {
				require.NoError(t, p.Append(&from[i]))
			}
			return p
		},
		"Insert": func(t *testing.T, from zmq.Multipart) (p zmq.Multipart) {
			for i := len(from) - 1; i >= 0; i-- {
				require.NoError(t, p.Insert(0, &from[i]))
			}
			return p
		},
		"Remove": func(t *testing.T, from zmq.Multipart) zmq.Multipart {
			p := make(zmq.Multipart, len(from))
			for i := range p {
				require.NoError(t, from.Remove(0, &p[i]))
			}
			return p
		},
		"Append that grows": func(t *testing.T, from zmq.Multipart) zmq.Multipart {
			require.NoError(t, from.Append(new(zmq.Message)))
			require.NoError(t, from.Remove(len(from)-1, nil))
			return from
		},
		"Clone": func(t *testing.T, from zmq.Multipart) (p zmq.Multipart) {
			for i := range from {
				require.NoError(t, p.Append(noErr(from[i].Clone())(t)))
			}
			return p
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBatch(t, 10)
			require.NoError(t, b.Append(parts...))
			p := move(t, b.At(0))
			defer p.Close()
			b.Reset()
			require.NoError(t, b.Append(bytes.Repeat([]byte("x"), 2000)))
			requireParts(t, parts, p.Bytes())
			require.NoError(t, b.Close())
			requireParts(t, parts, p.Bytes())

			pull, push := pair(t, zmq.Pull, zmq.Push, inprocName())
			require.NoError(t, push.SendMultipartMessage(ctx, p))
			requireParts(t, parts, recvParts(t, pull))
		})
	}
}
