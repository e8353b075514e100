package role_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/role"
	"github.com/go-zmq/go-zmq/zmq"
)

// The high-water mark of --hwm is that of the socket that sends: to a peer that takes
// nothing it sends a few large messages and not the 1000 of libzmq's default.
func TestHighWaterMark(t *testing.T) {
	t.Parallel()
	zctx, err := zmq.NewContext()
	require.NoError(t, err)
	defer zctx.Close()
	peer, err := zctx.NewSocket(zmq.Pull, zmq.RecvHWM.To(1))
	require.NoError(t, err)
	require.NoError(t, peer.Bind("tcp://127.0.0.1:*"))
	endpoint, err := peer.LastEndpoint()
	require.NoError(t, err)
	r := newRole(plan.Send, "pushpull", endpoint)
	r.Options, r.Size, r.Count, r.Idle = map[string]string{"hwm": "1"}, 1<<20, 200, patience/100
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var tally role.Tally
	_, result := start(ctx, r, &tally)
	require.ErrorContains(t, (<-result).err, "nobody took a message")
}
