package main

import (
	"context"
	"errors"
	"path/filepath"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/examples/binarystar/star"
	"github.com/go-zmq/go-zmq/examples/clone/kv"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

// A server is one of the pair, with a zmq.Context of its own, as if it were a process.
type server struct {
	name, peer, dir string
	zctx            *zmq.Context
	node            *star.Node
	joined          chan *kv.Client // receives the copy of the table while the server is passive
	stop            func() error
}

// endpoint returns where a server does something.
func endpoint(dir, server, what string) string { return "ipc://" + filepath.Join(dir, server+"-"+what) }

// endpoints returns where a server has its table.
func endpoints(dir, server string) kv.Endpoints {
	return kv.Endpoints{
		Snapshots: endpoint(dir, server, "snapshots"),
		Updates:   endpoint(dir, server, "updates"),
		Changes:   endpoint(dir, server, "changes"),
	}
}

// start starts a server.
func start(ctx context.Context, dir string, role star.State) (*server, error) {
	s := &server{name: "primary", peer: "backup", dir: dir, joined: make(chan *kv.Client, 1)}
	if role == star.Backup {
		s.name, s.peer = s.peer, s.name
	}
	var err error
	if s.zctx, err = zmq.NewContext(); err != nil {
		return nil, err
	}
	names, err := s.open(role)
	if err != nil {
		return nil, errors.Join(err, s.zctx.Close())
	}
	ctx, cancel := context.WithCancel(ctx)
	g, ctx := errgroup.WithContext(ctx)
	for _, part := range []func(context.Context) error{
		s.node.Run,
		func(ctx context.Context) error { return s.answer(ctx, names) },
		s.serve,
	} {
		g.Go(func() error {
			if err := part(ctx); !errors.Is(err, context.Canceled) {
				return err
			}
			return nil
		})
	}
	s.stop = sync.OnceValue(func() error {
		cancel()
		return errors.Join(g.Wait(), s.zctx.Close())
	})
	return s, nil
}

func (s *server) open(role star.State) (names *zmq.Socket, err error) {
	s.node, err = star.New(s.zctx, role, endpoint(s.dir, s.name, "state"), endpoint(s.dir, s.peer, "state"))
	if err != nil {
		return nil, err
	}
	if names, err = s.zctx.NewSocket(zmq.Router, zmq.Linger.To(0)); err != nil {
		return nil, err
	}
	return names, names.Bind(endpoint(s.dir, s.name, "names"))
}

// answer replies with the name of the server while it is active.
func (s *server) answer(ctx context.Context, names *zmq.Socket) error {
	server := request.Server{Handle: func(context.Context, [][]byte) [][]byte {
		if !s.node.Accept() {
			return nil // no reply: the client asks the other server
		}
		return [][]byte{[]byte(s.name)}
	}}
	return server.Serve(ctx, names)
}

// serve keeps a copy of the table while the server is passive, and owns the table from the
// moment it is active.
func (s *server) serve(ctx context.Context) error {
	state, err := s.node.Wait(ctx, star.Active, star.Passive)
	if err != nil {
		return err
	}
	var table kv.Table
	if state == star.Passive {
		client, err := kv.Join(ctx, s.zctx, endpoints(s.dir, s.peer))
		if err != nil {
			return err
		}
		defer client.Close()
		s.joined <- client
		if _, err := s.node.Wait(ctx, star.Active); err != nil {
			return err
		}
		table = client.Table()
	}
	owner, err := kv.NewServer(s.zctx, endpoints(s.dir, s.name), table)
	if err != nil {
		return err
	}
	defer owner.Close()
	return owner.Run(ctx)
}
