//go:build linux && !asan

package faults_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"syscall"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zap"
)

// A scenario is a small program: it makes its contexts and sockets, sends, and stops.
type scenario struct {
	name string
	run  func(*trial)
}

var scenarios = []scenario{
	{"tcp", func(x *trial) { pushPull(x, "tcp") }},
	{"ipc", func(x *trial) { pushPull(x, "ipc") }},
	{"inproc", func(x *trial) { pushPull(x, "inproc") }},
	{"curve", curve},
	{"zap", authenticated},
	{"pubsub", publish},
	{"monitor", monitored},
	{"memory", lentMemory},
	{"batch", batches},
	{"big", bigMessages},
	{"router", routed},
	{"proxy", proxied},
	{"poller", polled},
	{"reconnect", reconnected},
}

func pushPull(x *trial, transport string) {
	pull, push := x.pair(zmq.Pull, zmq.Push, endpointOf(transport))
	for range 3 {
		x.deliver(push, pull, []byte("one part"))
	}
	x.deliver(push, pull, []byte("1"), make([]byte, 100), nil)
	endpoint, err := push.LastEndpoint()
	x.must(err)
	x.must(push.Disconnect(endpoint))
	x.must(pull.Unbind(endpoint))
	x.must(pull.Close())
}

// curve asks and answers over an encrypted connection. A REQ whose request or reply
// was lost may ask again.
func curve(x *trial) {
	public, secret, err := zmq.NewCurveKeypair()
	x.must(err)
	zctx := x.context()
	rep := x.socket(zctx, zmq.Rep, zmq.AsCurveServer(secret, zmq.AllowAnyClient()))
	req := x.socket(zctx, zmq.Req, zmq.AsCurveClient(public), zmq.ReqRelaxed.To(true), zmq.ReqCorrelate.To(true))
	x.made()
	x.connect(rep, req, endpointOf("tcp"))
	ask(x, req, rep)
}

func ask(x *trial, req, rep *zmq.Socket) {
	asked := 0
	for range 2 {
		x.until(func(ctx context.Context) error {
			asked++
			request := []byte(strconv.Itoa(asked))
			if err := req.Send(ctx, request); err != nil {
				return err
			}
			for last := false; !last; { // late replies to earlier requests may still arrive
				got, err := rep.RecvBytes(ctx)
				if err != nil {
					return err
				}
				// A reply that is not sent, since the step is over, keeps REP from the next request.
				if err := rep.Send(x.ctx, []byte("reply")); err != nil {
					return err
				}
				last = bytes.Equal(got, request)
			}
			_, err := req.RecvBytes(ctx)
			return err
		})
	}
}

// authenticated lets a client in by its name and password.
func authenticated(x *trial) {
	zctx := x.context()
	a, err := zap.Start(zctx, zap.Policy{
		Allow:      []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		AllowLocal: true,
		Plain:      func(_, user, password string) bool { return user == "me" && password == "mine" },
	})
	x.must(err)
	x.later(a.Close)
	pull, push := x.socket(zctx, zmq.Pull, zmq.AsPlainServer("here")), x.socket(zctx, zmq.Push, zmq.AsPlainClient("me", "mine"))
	x.made()
	x.connect(pull, push, endpointOf("ipc"))
	x.deliver(push, pull, []byte("let in"))
}

func publish(x *trial) {
	pub, sub := x.pair(zmq.Pub, zmq.Sub, endpointOf("tcp"))
	for _, topic := range []string{"weather", "weather/north", "news"} {
		x.must(sub.Subscribe(topic))
	}
	x.until(func(ctx context.Context) error {
		// When a connection was lost, a SUB subscribes again once it is used.
		if _, err := sub.RecvBytes(context.Background(), zmq.DontWait); err != nil && !errors.Is(err, zmq.ErrAgain) {
			return err
		}
		return pub.WaitSubscribers(ctx, 3)
	})
	x.deliver(pub, sub, []byte("weather/north"), []byte("rain"))
	x.must(sub.Unsubscribe("news"))
	x.deliver(pub, sub, []byte("weather"), []byte("sun"))
}

func monitored(x *trial) {
	zctx := x.context()
	pull, push := x.socket(zctx, zmq.Pull), x.socket(zctx, zmq.Push)
	m, err := push.Monitor(zmq.EventAll)
	x.must(err)
	x.later(m.Close)
	x.made()
	x.connect(pull, push, endpointOf("tcp"))
	for {
		e, err := m.Next(x.ctx)
		x.must(err)
		if e.Event == zmq.EventHandshakeSucceeded {
			break
		}
	}
	x.must(push.WaitConnected(x.ctx, 1))
	x.deliver(push, pull, []byte("seen"))
}

// lentMemory sends messages that lie in native memory, in a pool's and in Go's own.
func lentMemory(x *trial) {
	pull, push := x.pair(zmq.Pull, zmq.Push, endpointOf("tcp"))
	p := pool.New(pool.Config{})
	x.later(p.Close)
	x.must(p.Prewarm(20_000, 2))
	for _, create := range []func() (*zmq.Message, error){
		func() (*zmq.Message, error) { return zmq.NewMessage(20_000) },
		func() (*zmq.Message, error) { return zmq.NewMessageBytes(make([]byte, 200)) },
		func() (*zmq.Message, error) { return zmq.NewMessageZeroCopy(make([]byte, 20_000), nil) },
		func() (*zmq.Message, error) { return p.Get(20_000) },
		func() (*zmq.Message, error) { return p.GetBytes(make([]byte, 100)) },
		func() (*zmq.Message, error) {
			m, err := zmq.NewMessageBytes(make([]byte, 1000))
			if err != nil {
				return nil, err
			}
			defer m.Close()
			return m.Clone()
		},
	} {
		x.until(func(ctx context.Context) error {
			m, err := create()
			if err != nil {
				return err
			}
			defer m.Close() // does nothing when it was sent
			if err := push.SendMessage(ctx, m); err != nil {
				return err
			}
			var got zmq.Message
			defer got.Close()
			return pull.RecvMessage(ctx, &got)
		})
	}
}

func batches(x *trial) {
	pull, push := x.pair(zmq.Pull, zmq.Push, endpointOf("ipc"))
	in, out := zmq.NewBatch(64), zmq.NewBatch(64)
	x.later(in.Close)
	x.later(out.Close)
	x.until(func(ctx context.Context) error {
		out.Reset()
		for i := range 64 {
			if err := out.Append(make([]byte, 10*i), make([]byte, i)); err != nil {
				return err
			}
		}
		if _, err := push.SendBatch(ctx, out); err != nil {
			return err
		}
		for got := 0; got < 64; got += in.Len() {
			in.Reset()
			if _, err := pull.RecvBatch(ctx, in); err != nil {
				return err
			}
		}
		return nil
	})
}

func bigMessages(x *trial) {
	pull, push := x.pair(zmq.Pull, zmq.Push, endpointOf("tcp"))
	for _, size := range []int{10_000, 100_000, 1 << 20} {
		x.deliver(push, pull, make([]byte, size), make([]byte, size))
	}
}

// routed answers a DEALER through a ROUTER, in messages of many parts.
func routed(x *trial) {
	zctx := x.context()
	// Without handover a peer that comes back too soon is not let in.
	router := x.socket(zctx, zmq.Router, zmq.RouterMandatory.To(true), zmq.RouterHandover.To(true))
	dealer := x.socket(zctx, zmq.Dealer, zmq.RoutingID.To([]byte("dealer")))
	x.made()
	x.connect(router, dealer, endpointOf("tcp"))
	parts := make([][]byte, 40)
	for i := range parts {
		parts[i] = make([]byte, i*3)
	}
	x.deliver(dealer, router, parts...)
	parts[0] = []byte("dealer")
	x.until(func(ctx context.Context) error {
		err := router.SendMultipart(ctx, parts)
		if err != nil && ctx.Err() == nil {
			return err
		}
		_, err = dealer.RecvMultipart(ctx)
		return err
	})
}

func proxied(x *trial) {
	zctx := x.context()
	frontend, backend := x.socket(zctx, zmq.Router), x.socket(zctx, zmq.Dealer)
	req := x.socket(zctx, zmq.Req, zmq.ReqRelaxed.To(true), zmq.ReqCorrelate.To(true))
	rep := x.socket(zctx, zmq.Rep)
	x.made()
	x.connect(frontend, req, endpointOf("tcp"))
	x.connect(backend, rep, endpointOf("inproc"))
	ctx, cancel := context.WithCancel(x.ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := zmq.Proxy(ctx, frontend, backend, nil); !errors.Is(err, context.Canceled) {
			x.broken <- err
		}
	}()
	x.later(func() error {
		cancel()
		<-ended
		return nil
	})
	ask(x, req, rep)
}

func polled(x *trial) {
	zctx := x.context()
	pull, push := x.socket(zctx, zmq.Pull), x.socket(zctx, zmq.Push)
	p, err := poller.New()
	x.must(err)
	x.later(p.Close)
	x.must(p.Add(pull, poller.In))
	x.made()
	x.connect(pull, push, endpointOf("tcp"))
	for range 3 {
		x.until(func(ctx context.Context) error {
			if err := push.Send(ctx, []byte("ready")); err != nil {
				return err
			}
			events, err := p.Wait(ctx)
			if err != nil {
				return err
			}
			if len(events) != 1 {
				return fmt.Errorf("%d events", len(events))
			}
			_, err = pull.RecvBytes(ctx)
			return err
		})
	}
}

// reconnected has the listener go away and come back.
func reconnected(x *trial) {
	pull, push := x.pair(zmq.Pull, zmq.Push, endpointOf("tcp"))
	endpoint, err := pull.LastEndpoint()
	x.must(err)
	x.deliver(push, pull, []byte("before"))
	x.must(pull.Unbind(endpoint))
	x.until(func(ctx context.Context) error {
		err := pull.Bind(endpoint)
		if errors.Is(err, syscall.EADDRINUSE) {
			<-ctx.Done() // libzmq closes the old listener in its own time
		}
		return err
	})
	x.deliver(push, pull, []byte("after"))
}
