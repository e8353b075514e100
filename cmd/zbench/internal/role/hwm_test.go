package role_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/zmq"
)

// The high-water mark of --sockopt HWM is that of the socket that sends: to a peer that takes
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
	r.Options, r.Sizes, r.Count, r.Idle = map[string]string{"HWM": "1"}, []int{1 << 20}, 200, patience/100
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, result := start(ctx, r, load.NewTally(record.Cell{}))
	require.ErrorContains(t, (<-result).err, "no peer took a message")
}
