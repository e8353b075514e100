package cfloor_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/bench/cfloor"
)

func TestManyPeers(t *testing.T) {
	t.Parallel()
	cases := map[string]cfloor.Config{
		"fan-in":            {Pattern: cfloor.PushPull, Senders: 4},
		"fan-in, poll":      {Pattern: cfloor.PushPull, Senders: 4, Mode: cfloor.Poll},
		"fan-in, lent":      {Pattern: cfloor.PushPull, Senders: 4, Lend: true, HighWater: 10},
		"fan-out":           {Pattern: cfloor.PushPull, Receivers: 4},
		"fan-out, batch":    {Pattern: cfloor.PushPull, Receivers: 4, Mode: cfloor.Batch},
		"published":         {Pattern: cfloor.PubSub},
		"published, 10":     {Pattern: cfloor.PubSub, Receivers: 10},
		"published, sleep":  {Pattern: cfloor.PubSub, Receivers: 2, Mode: cfloor.Sleep},
		"published, marks":  {Pattern: cfloor.PubSub, Receivers: 4, HighWater: 10},
		"published, lent":   {Pattern: cfloor.PubSub, Receivers: 4, HighWater: 10, Lend: true},
		"requests":          {Pattern: cfloor.DealerRouter},
		"requests, window":  {Pattern: cfloor.DealerRouter, Window: 100},
		"requests, clients": {Pattern: cfloor.DealerRouter, Window: 10, Senders: 4},
		"reqrep":            {Pattern: cfloor.ReqRep},
		"reqrep, clients":   {Pattern: cfloor.ReqRep, Senders: 4},
	}
	for name, c := range cases {
		c.Size = 64
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, c)
		})
	}
}

func TestEncrypted(t *testing.T) {
	t.Parallel()
	for _, pattern := range []cfloor.Pattern{cfloor.PushPull, cfloor.PubSub, cfloor.DealerRouter} {
		f := open(t, cfloor.Config{Pattern: pattern, Size: 64, Curve: true}, "tcp://127.0.0.1:*")
		require.NoError(t, f.Ready())
		_, _, err := f.Run(500)
		require.NoError(t, err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []cfloor.Config{
		{Pattern: cfloor.RouterRouter, Size: 8, Senders: 2},
		{Pattern: cfloor.DealerDealer, Size: 8, Receivers: 2},
		{Pattern: cfloor.PushPull, Size: 8, Senders: 2, Receivers: 2},
		{Pattern: cfloor.PubSub, Size: 8, Senders: 2},
		{Pattern: cfloor.ReqRep, Size: 8, Receivers: 2},
		{Pattern: cfloor.ReqRep, Size: 8, Window: 2},
		{Pattern: cfloor.PushPull, Size: 8, Samples: 1},
		{Pattern: cfloor.PushPull, Size: 7},
	} {
		_, err := cfloor.Open(c, "inproc://floor")
		require.ErrorContains(t, err, "c baseline: ", fmt.Sprint(c))
	}
}

func TestViaSaysWhereToConnect(t *testing.T) {
	t.Parallel()
	var told []string
	reason := errors.New("no way")
	_, err := cfloor.Open(cfloor.Config{Pattern: cfloor.PushPull, Size: 8, Receivers: 2, Via: func(bound string) (string, error) {
		told = append(told, bound)
		if len(told) == 2 {
			return "", reason
		}
		return bound, nil
	}}, "inproc://floor")
	require.ErrorIs(t, err, reason)
	require.Equal(t, []string{"inproc://floor", "inproc://floor1"}, told)
}
