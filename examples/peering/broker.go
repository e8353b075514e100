package main

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// The endpoints inside a cluster.
const forClients, forWorkers = "inproc://clients", "inproc://workers"

// Where a request comes from, and its reply must go.
const (
	local = "local" // a client of this cluster
	cloud = "cloud" // another broker
)

// A broker connects the clients and workers of a cluster with other clusters. The
// goroutine in run is the only one that uses the fields, so they need no lock.
type broker struct {
	dir, name string
	zctx      *zmq.Context
	clients   *zmq.Socket // ROUTER
	workers   *zmq.Socket // ROUTER
	fromPeers *zmq.Socket // ROUTER, bound: requests of other clusters
	toPeers   *zmq.Socket // ROUTER, connected to the fromPeers of the others
	state     *zmq.Socket // PUB: the name of the cluster and how many workers are free
	states    *zmq.Socket // SUB

	free     []string       // routing ids of free workers
	capacity map[string]int // free workers of other clusters
}

func newBroker(dir, name string) (*broker, error) {
	zctx, err := zmq.NewContext()
	if err != nil {
		return nil, err
	}
	b := &broker{name: name, dir: dir, zctx: zctx, capacity: map[string]int{}}
	if err := b.open(); err != nil {
		return nil, errors.Join(err, zctx.Close())
	}
	return b, nil
}

// open creates the sockets and connects them to the other clusters, in any order.
func (b *broker) open() (err error) {
	for _, s := range []struct {
		socket   **zmq.Socket
		kind     zmq.SocketType
		endpoint string
	}{
		{&b.clients, zmq.Router, forClients},
		{&b.workers, zmq.Router, forWorkers},
		{&b.fromPeers, zmq.Router, b.endpoint(b.name, "requests")},
		{&b.state, zmq.Pub, b.endpoint(b.name, "state")},
		{&b.toPeers, zmq.Router, ""},
		{&b.states, zmq.Sub, ""},
	} {
		if *s.socket, err = b.zctx.NewSocket(s.kind, zmq.Linger.To(0)); err != nil {
			return err
		}
		if s.endpoint != "" {
			if err := (*s.socket).Bind(s.endpoint); err != nil {
				return err
			}
		}
	}
	if err := b.states.Subscribe(""); err != nil {
		return err
	}
	for peer := range workers {
		if peer == b.name {
			continue
		}
		if err := b.states.Connect(b.endpoint(peer, "state")); err != nil {
			return err
		}
		// The ROUTER knows the next connection by this id.
		if err := b.toPeers.Set(zmq.ConnectRoutingID.To([]byte(peer))); err != nil {
			return err
		}
		if err := b.toPeers.Connect(b.endpoint(peer, "requests")); err != nil {
			return err
		}
	}
	return nil
}

func (b *broker) endpoint(cluster, what string) string {
	return "ipc://" + filepath.Join(b.dir, cluster+"-"+what)
}

// run routes messages until ctx is done, and closes the sockets.
func (b *broker) run(ctx context.Context) error {
	defer b.zctx.Close()
	clients, fromPeers := b.clients.RecvChan(ctx), b.fromPeers.RecvChan(ctx)
	workers, toPeers, states := b.workers.RecvChan(ctx), b.toPeers.RecvChan(ctx), b.states.RecvChan(ctx)
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		// A nil channel is never ready: requests wait in their socket until there is a
		// worker for them.
		var ownRequests, peerRequests <-chan [][]byte
		if peer := b.bestPeer(); len(b.free) > 0 || peer != "" {
			ownRequests = clients.C
		}
		if len(b.free) > 0 {
			peerRequests = fromPeers.C
		}
		var message [][]byte
		var handle func(context.Context, [][]byte) error
		select {
		case message = <-ownRequests:
			handle = b.fromClient
		case message = <-peerRequests:
			handle = b.fromPeer
		case message = <-workers.C:
			handle = b.fromWorker
		case message = <-toPeers.C:
			handle = b.peerReply
		case message = <-states.C:
			handle = b.peerState
		case <-ticker.C:
			handle = b.publish
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return nil
		}
		if err := handle(ctx, message); err != nil {
			return err
		}
	}
}

// bestPeer returns the other cluster with the most free workers, or "" if none has any.
func (b *broker) bestPeer() (best string) {
	for peer, n := range b.capacity {
		if n > b.capacity[best] {
			best = peer
		}
	}
	return best
}

// fromClient gives a request to a free worker, or else to another cluster.
func (b *broker) fromClient(ctx context.Context, request [][]byte) error {
	if len(b.free) > 0 {
		return b.toWorker(ctx, local, request)
	}
	peer := b.bestPeer()
	b.capacity[peer]-- // until the peer publishes its state again
	return b.toPeers.SendMultipart(ctx, append([][]byte{[]byte(peer)}, request...))
}

func (b *broker) fromPeer(ctx context.Context, request [][]byte) error {
	return b.toWorker(ctx, cloud, request)
}

func (b *broker) toWorker(ctx context.Context, origin string, request [][]byte) error {
	id := b.free[0]
	b.free = b.free[1:]
	return b.workers.SendMultipart(ctx, append([][]byte{[]byte(id), []byte(origin)}, request...))
}

// fromWorker handles "ready" or a reply with its origin. The worker is free again.
func (b *broker) fromWorker(ctx context.Context, message [][]byte) error {
	b.free = append(b.free, string(message[0]))
	switch {
	case len(message) < 3: // ready
		return nil
	case string(message[1]) == local:
		return b.clients.SendMultipart(ctx, message[2:])
	default:
		return b.fromPeers.SendMultipart(ctx, message[2:])
	}
}

// peerReply passes on the reply to a request that another cluster took.
func (b *broker) peerReply(ctx context.Context, message [][]byte) error {
	return b.clients.SendMultipart(ctx, message[1:])
}

func (b *broker) peerState(_ context.Context, message [][]byte) error {
	n, err := strconv.Atoi(string(message[1]))
	b.capacity[string(message[0])] = n
	return err
}

// publish sends the state of this cluster to the others.
func (b *broker) publish(ctx context.Context, _ [][]byte) error {
	return b.state.SendMultipart(ctx, [][]byte{[]byte(b.name), []byte(strconv.Itoa(len(b.free)))})
}
