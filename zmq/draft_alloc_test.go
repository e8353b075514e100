//go:build !race && !asan

package zmq_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// A request to a SERVER and its reply allocate nothing, nor does a message to a group.
func TestDraftAllocations(t *testing.T) {
	if !hasDrafts(t, zmq.Server, zmq.Client, zmq.Radio, zmq.Dish) {
		return
	}
	server, client, _ := draftPair(t, zmq.Server, zmq.Client, "tcp://127.0.0.1:*")
	part, buf := payload(64), make([]byte, 64)
	require.Zero(t, testing.AllocsPerRun(500, func() {
		if err := client.Send(context.Background(), part); err != nil {
			t.Error(err)
		}
		_, id, err := server.RecvFrom(context.Background(), buf)
		if err != nil {
			t.Error(err)
		}
		if err := server.SendTo(context.Background(), id, part); err != nil {
			t.Error(err)
		}
		if _, err := client.Recv(context.Background(), buf); err != nil {
			t.Error(err)
		}
	}))
	radio, dish, _ := draftPair(t, zmq.Radio, zmq.Dish, "tcp://127.0.0.1:*")
	require.NoError(t, dish.Join("weather"))
	joined(t, radio, dish, "weather")
	require.LessOrEqual(t, testing.AllocsPerRun(500, func() {
		if err := radio.SendGroup(context.Background(), "weather", part); err != nil {
			t.Error(err)
		}
		if _, _, err := dish.RecvGroup(context.Background(), buf); err != nil {
			t.Error(err)
		}
	}), 1.0, "the name of the group that was received")
}
