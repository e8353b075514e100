//go:build pebbe

package rivals

import (
	"context"
	"errors"
	"sync/atomic"
	"syscall"
	"testing"

	zmq4 "github.com/pebbe/zmq4"
	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// The constants of the Majordomo protocol, MDP/0.1.
const (
	mdpClient  = "MDPC01"
	mdpWorker  = "MDPW01"
	mdpReady   = "\x01"
	mdpRequest = "\x02"
	mdpReply   = "\x03"
)

// A majordomo is the broker of the Guide, with one service, on a ROUTER of pebbe/zmq4.
type majordomo struct {
	router   *zmq4.Socket
	free     []string   // routing ids of the workers without a request
	requests [][]string // each begins with the client's routing id and an empty part

	refused  atomic.Int64  // replies for which the client's queue had no room
	awaited  int           // replies until answered is closed
	answered chan struct{} // closed when each request was answered or its reply refused
}

// startMajordomo starts a broker that expects requests, and returns its endpoint.
func startMajordomo(t *testing.T, requests int, set func(*zmq4.Socket) error) (b *majordomo, endpoint string) {
	t.Helper()
	c, err := zmq4.NewContext()
	require.NoError(t, err)
	b = &majordomo{awaited: requests, answered: make(chan struct{})}
	b.router, err = c.NewSocket(zmq4.ROUTER)
	require.NoError(t, err)
	require.NoError(t, errors.Join(b.router.SetLinger(0), set(b.router), b.router.Bind("tcp://127.0.0.1:*")))
	endpoint, err = b.router.GetLastEndpoint()
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() {
		err := b.serve()
		done <- errors.Join(err, b.router.Close())
	}()
	t.Cleanup(func() {
		require.NoError(t, c.Term()) // serve returns, and closes the socket
		require.NoError(t, <-done)
	})
	return b, endpoint
}

func (b *majordomo) serve() error {
	for {
		message, err := b.router.RecvMessage(0)
		if errors.Is(err, zmq4.ETERM) {
			return nil
		}
		if err == nil {
			err = b.handle(message)
		}
		if err != nil {
			return err
		}
	}
}

// handle handles a message: routing id, empty part, protocol, and the rest.
func (b *majordomo) handle(message []string) error {
	from, protocol, rest := message[0], message[2], message[3:]
	switch {
	case protocol == mdpClient:
		b.requests = append(b.requests, append([]string{from, ""}, rest[1:]...))
	case rest[0] == mdpReply:
		if err := b.reply(rest[1], rest[3:]); err != nil {
			return err
		}
		b.free = append(b.free, from)
	case rest[0] == mdpReady:
		b.free = append(b.free, from)
	}
	for len(b.free) > 0 && len(b.requests) > 0 {
		if _, err := b.router.SendMessage(b.free[0], "", mdpWorker, mdpRequest, b.requests[0]); err != nil {
			return err
		}
		b.free, b.requests = b.free[1:], b.requests[1:]
	}
	return nil
}

// reply sends a reply without waiting. If the client's queue is full, a mandatory ROUTER
// returns EAGAIN. Others drop the reply and return nothing.
func (b *majordomo) reply(client string, body []string) error {
	_, err := b.router.SendMessageDontwait(client, "", mdpClient, "echo", body)
	if errors.Is(err, zmq4.Errno(syscall.EAGAIN)) {
		b.refused.Add(1)
		err = nil
	}
	if b.awaited--; b.awaited == 0 {
		close(b.answered)
	}
	return err
}

// startWorker starts a worker on go-zmq that returns each request.
func startWorker(t *testing.T, zctx *zmq.Context, endpoint string) {
	t.Helper()
	s := zmqtest.NewSocket(t, zctx, zmq.Dealer)
	require.NoError(t, s.Connect(endpoint))
	require.NoError(t, s.SendMultipart(context.Background(), [][]byte{nil, []byte(mdpWorker), []byte(mdpReady), []byte("echo")}))
	done := make(chan error, 1)
	go func() {
		for {
			message, err := s.RecvMultipart(context.Background())
			if err == nil { // message[3:] is the client's routing id, an empty part and the request
				message[2] = []byte(mdpReply)
				err = s.SendMultipart(context.Background(), message)
			}
			if err != nil {
				done <- err
				return
			}
		}
	}()
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.ErrorIs(t, <-done, zmq.ErrClosed)
	})
}
