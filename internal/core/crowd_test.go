package core

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

const (
	optRoutingID       = 5
	optRouterMandatory = 33
)

// fullPeers returns a mandatory ROUTER, and DEALERs with the routing ids p0, p1, ... whose queues
// are full because they do not read. senders goroutines for each of them wait in a send.
func fullPeers(t *testing.T, peers, senders int) (router *Socket, dealers []*Socket, done chan string) {
	t.Helper()
	c := newContext(t)
	router = newTestSocket(t, c, libzmq.Router, 1)
	setInt(t, router, optRouterMandatory, 1)
	require.NoError(t, router.Bind("inproc://crowd"))
	for i := range peers {
		d := newTestSocket(t, c, libzmq.Dealer, 1)
		require.NoError(t, d.SetOption(optRoutingID, fmt.Append(nil, "p", i)))
		require.NoError(t, d.Connect("inproc://crowd"))
		dealers = append(dealers, d)
	}
	done = make(chan string, peers*senders)
	var group sync.WaitGroup
	for i := range peers {
		message := [][]byte{fmt.Append(nil, "p", i), make([]byte, 600)}
		for router.SendParts(t.Context(), message, true) == nil {
		}
		for range senders {
			group.Go(func() {
				if router.SendParts(context.Background(), message, false) == nil {
					done <- string(message[0])
				}
			})
		}
	}
	t.Cleanup(func() { _ = router.Close(); group.Wait() })
	require.Eventually(t, func() bool { return router.Stats().Waiting == peers*senders }, patience, time.Millisecond)
	return router, dealers, done
}

// wakes returns how many senders were woken so far.
func wakes(s *Socket) uint64 {
	h := s.lock.Lock()
	defer s.lock.Unlock()
	return h.crowd.Wakes()
}

// Senders to peers that do not read do not take the processor from the others: the edges of a
// healthy peer wake a few of them, and none wakes while nothing happens.
func TestFullPeersTakeLittle(t *testing.T) {
	for _, c := range []struct{ peers, senders int }{{300, 1}, {1, 2000}} {
		t.Run(fmt.Sprint(c.peers, " peers, ", c.senders, " senders each"), func(t *testing.T) {
			router, _, _ := fullPeers(t, c.peers, c.senders)
			before := wakes(router)
			for range 100 {
				router.tendCrowd()
			}
			require.Equal(t, before, wakes(router), "nothing happened")
			healthy := newTestSocket(t, router.ctx, libzmq.Dealer, 1000)
			require.NoError(t, healthy.Connect("inproc://crowd"))
			const echoes = 2000
			began := time.Now()
			for range echoes {
				require.NoError(t, healthy.Send(t.Context(), []byte("x"), false))
				parts, err := router.RecvMultipart(t.Context(), false)
				require.NoError(t, err)
				require.NoError(t, router.SendParts(t.Context(), parts, false))
				_, err = healthy.RecvBytes(t.Context(), false)
				require.NoError(t, err)
			}
			// An edge costs one attempt per peer at most, and a millisecond 32.
			most := min(uint64(c.peers)*3*echoes, 64+32*uint64(time.Since(began)/time.Millisecond))
			require.LessOrEqual(t, wakes(router)-before, most)
			require.Eventually(t, func() bool { return router.Stats().Waiting == c.peers*c.senders }, patience, time.Millisecond)
		})
	}
}

// A sender proceeds when its peer reads, whatever the other peers do.
func TestPeerThatReadsGetsItsSender(t *testing.T) {
	bothProtocols(t, func(t *testing.T) {
		const peers, senders = 100, 3
		_, dealers, done := fullPeers(t, peers, senders)
		for _, i := range rand.Perm(peers) {
			reads, stop := context.WithCancel(t.Context())
			read := make(chan bool)
			go func() {
				defer close(read)
				for {
					if _, err := dealers[i].RecvBytes(reads, false); err != nil {
						return
					}
				}
			}()
			for range senders {
				select {
				case id := <-done:
					require.Equal(t, fmt.Sprint("p", i), id)
				case <-time.After(patience):
					t.Fatal("a sender was forgotten")
				}
			}
			stop()
			<-read
		}
	})
}

// Many senders to many peers with tiny queues, some of which give up: what was sent arrives, and
// nobody waits for longer than needed.
func TestCrowdForgetsNobody(t *testing.T) {
	bothProtocols(t, func(t *testing.T) {
		const peers, senders = 20, 60
		router, dealers, _ := fullPeers(t, peers, 0)
		drained := drainAll(t, dealers)
		var sent atomic.Int64
		var group sync.WaitGroup
		each := scale(500)
		for seed := range uint64(senders) {
			group.Go(func() {
				r := rand.New(rand.NewPCG(seed, 2))
				for range each {
					ctx, cancel := context.WithCancel(context.Background())
					if r.IntN(10) == 0 {
						ctx, cancel = context.WithTimeout(ctx, time.Duration(r.IntN(1000))*time.Microsecond)
					}
					err := router.SendParts(ctx, [][]byte{fmt.Append(nil, "p", r.IntN(peers)), []byte("counted")}, false)
					cancel()
					switch {
					case err == nil:
						sent.Add(1)
					case !errors.Is(err, context.DeadlineExceeded):
						t.Error(err)
						return
					}
				}
			})
		}
		all := make(chan struct{})
		go func() { group.Wait(); close(all) }()
		stalled(t, all, func() string { return fmt.Sprint(router.Stats()) })
		require.Eventually(t, func() bool { return drained.Load() == sent.Load() }, patience, time.Millisecond)
		require.Zero(t, router.Stats().Waiting)
	})
}

// drainAll receives on all sockets until the test ends, and counts the messages
// "counted".
func drainAll(t *testing.T, sockets []*Socket) *atomic.Int64 {
	ctx, cancel := context.WithCancel(context.Background())
	var counted atomic.Int64
	var group sync.WaitGroup
	for _, s := range sockets {
		group.Go(func() {
			for {
				part, err := s.RecvBytes(ctx, false)
				if err != nil {
					return
				}
				if string(part) == "counted" {
					counted.Add(1)
				}
			}
		})
	}
	t.Cleanup(func() { cancel(); group.Wait() })
	return &counted
}

// A message whose peer is full is copied once, however often it is tried, and comes back to its
// owner if the send is given up.
func TestBlockedSendKeepsItsMessage(t *testing.T) {
	router, dealers, _ := fullPeers(t, 1, 0)
	var m libzmq.Msg
	require.Zero(t, m.Alloc(1000))
	m.Bytes()[999] = 7
	ctx, cancel := context.WithCancel(t.Context())
	gaveUp := make(chan error)
	prefix := make([]byte, 2, keepFrom)
	copy(prefix, "p0")
	go func() { gaveUp <- router.SendMsgWithPrefix(ctx, prefix, &m, false) }()
	require.Eventually(t, func() bool { return router.Stats().Waiting == 1 }, patience, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-gaveUp, context.Canceled)
	require.Equal(t, 1000, m.Len())
	require.EqualValues(t, 7, m.Bytes()[999])
	go func() { gaveUp <- router.SendMsgWithPrefix(context.Background(), prefix, &m, false) }()
	require.Eventually(t, func() bool { return router.Stats().Waiting == 1 }, patience, time.Millisecond)
	last := 0
	for last != 1000 {
		part, err := dealers[0].RecvBytes(t.Context(), false)
		require.NoError(t, err)
		last = len(part)
	}
	require.NoError(t, <-gaveUp)
	require.Zero(t, m.Len())
}
