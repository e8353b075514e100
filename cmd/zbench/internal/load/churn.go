package load

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zap"
)

// held is how many connections are held at once to see what one takes, and most how many
// sockets a context of clients may have.
const (
	held = 100
	most = held + 10
)

// domain is that of PLAIN, which knows one user.
const domain = "zbench"

// churn measures connections, one after the other: a new socket connects, sends a message and
// waits for its reply. Then it holds connections, to see what one takes at both ends together.
func churn(ctx context.Context, r *record.Run, tally *Tally) (err error) {
	e := &ends{Pattern: r.Cell.Ends()}
	if e.ctx, err = zmq.NewContext(); err != nil {
		return err
	}
	clients, err := zmq.NewContext(zmq.MaxSockets.To(most))
	if err != nil {
		return errors.Join(err, e.close())
	}
	ended := make(chan error, 1)
	unhook := context.AfterFunc(ctx, func() { e.stop(); _ = clients.Shutdown() })
	defer func() {
		unhook()
		e.closing.Store(true)
		e.stop()
		if e.server != nil {
			err = errors.Join(err, <-ended)
		}
		err = errors.Join(err, clients.Close(), e.close())
	}()
	settings := []zmq.Setting{zmq.Linger.To(0)}
	server := settings
	if r.Cell.Security == "plain" {
		a, err := zap.Start(e.ctx, zap.Policy{Plain: func(_, user, password string) bool { return user == domain && password == domain }})
		if err != nil {
			return err
		}
		defer a.Close()
		server, settings = append(server, zmq.AsPlainServer(domain)), append(settings, zmq.AsPlainClient(domain, domain))
	}
	endpoint, key, err := e.bind(r.Cell, server)
	if e.server == nil {
		return err
	}
	go func() { ended <- e.echo(nil) }()
	if key != "" {
		settings = append(settings, zmq.AsCurveClient(key))
	}
	if err != nil {
		return err
	}
	v := churner{ctx: ctx, clients: clients, settings: settings, endpoint: endpoint, payload: make([]byte, r.Cell.Size)}
	return errors.Join(v.open(r, tally), v.hold(r))
}

// churner opens connections.
type churner struct {
	ctx      context.Context
	clients  *zmq.Context
	settings []zmq.Setting
	endpoint string
	payload  []byte
}

// open opens connections one after the other, for the warm-up and the window.
func (v *churner) open(r *record.Run, tally *Tally) error {
	times := record.NewHistogram()
	var used Meter
	begin := pace.Now()
	window := begin + r.Method.Warmup
	for now := begin; now < window+r.Method.Duration; {
		s, err := v.first()
		if err == nil {
			err = s.Close()
		}
		if err != nil {
			return err
		}
		took := pace.Now() - now
		if now += took; now-took >= window {
			if r.Messages == 0 {
				begin = now - took
				used.Begin()
			}
			r.Messages++
			record.Observe(times, took)
			tally.observe(took, len(v.payload))
		}
	}
	r.Elapsed, r.Bytes = max(pace.Now()-begin, 1), r.Messages*int64(r.Cell.Size)
	used.Until(r)
	return Keep(r, record.RTT, times)
}

// hold holds connections, to see what one takes.
func (v *churner) hold(r *record.Run) error {
	memory, files := footprint()
	for range held {
		if _, err := v.first(); err != nil {
			return err
		}
	}
	more, open := footprint()
	r.ConnBytes, r.ConnFiles = max(more-memory, 0)/held, float64(open-files)/held
	return nil
}

// first returns a socket that has connected and exchanged its first message.
func (v *churner) first() (*zmq.Socket, error) {
	s, err := v.clients.NewSocket(zmq.Dealer, v.settings...)
	if err != nil {
		return nil, err
	}
	if err := s.Connect(v.endpoint); err != nil {
		return nil, err
	}
	if err := s.Send(v.ctx, v.payload); err != nil {
		return nil, err
	}
	_, err = s.RecvBytes(v.ctx)
	return s, err
}

// footprint returns the resident memory and the open files of the process; 0: unknown.
func footprint() (bytes int64, files int) {
	text, _ := os.ReadFile("/proc/self/statm")
	if fields := strings.Fields(string(text)); len(fields) > 1 {
		pages, _ := strconv.ParseInt(fields[1], 10, 64)
		bytes = pages * int64(os.Getpagesize())
	}
	entries, _ := os.ReadDir("/proc/self/fd")
	return bytes, len(entries)
}
