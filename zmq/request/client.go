package request

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/zmq"
)

// Config says how often a Client tries. It is a plain value.
type Config struct {
	// Attempts is how many times a request is sent before it fails. 0 is 1. A
	// negative number is as often as the request's context allows, which needs a
	// Timeout.
	Attempts int
	// Timeout is how long each attempt waits, for room to send and then for the
	// reply. 0 and less is without limit: the request's context ends it.
	Timeout time.Duration
}

// Stats counts what a Client did since it was made.
type Stats struct {
	Requests uint64 // calls of Request, but for those that were refused before their first attempt
	Retries  uint64 // attempts after a request's first
	Late     uint64 // messages dropped because no request waits for them, or has such a number
	Waiting  int    // requests under way now
}

// Client sends requests and returns to each its own reply. It is safe for use by any
// number of goroutines. Make one with NewClient and end it with Close.
type Client struct {
	socket *zmq.Socket
	config Config
	done   chan struct{} // closed when the reader has ended
	err    error         // why it has

	mu      sync.Mutex
	calls   map[uint64]*call
	last    uint64 // number given
	closing bool

	requests, retries, late atomic.Uint64
}

// A call is one request under way. It belongs to the goroutine in Request, except
// for reply.
type call struct {
	reply  chan [][]byte // one reply, put there as the call is taken from the map
	timer  *time.Timer
	number [8]byte
	parts  [][]byte
}

var calls = sync.Pool{New: func() any {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	return &call{reply: make(chan [][]byte, 1), timer: timer}
}}

// NewClient makes a Client of a DEALER socket that is connected or bound, or will be.
// The socket belongs to the Client then: nobody else sends, receives or closes. Its
// SendTimeout and RecvTimeout are turned off; Config.Timeout and contexts take their
// place. Other types of sockets are refused with EINVAL.
//
// Requests for a server that is away wait in the socket, up to SendHWM, and are sent
// when it is back, even if nobody waits for them any more. With several servers the
// socket deals requests out in turn, so that the next attempt goes to the next server;
// with zmq.Immediate those that are not connected are left out.
func NewClient(s *zmq.Socket, config Config) (*Client, error) {
	if t := s.Type(); s != nil && t != zmq.Dealer {
		return nil, core.NewError("request", syscall.EINVAL, "a Client needs a DEALER socket, this is a "+t.String(), nil)
	}
	if config.Attempts < 0 && config.Timeout <= 0 {
		return nil, core.NewError("request", syscall.EINVAL, "an unlimited number of attempts without a limit for each is one attempt; set Config.Timeout", nil)
	}
	if err := s.Set(zmq.SendTimeout.To(-1), zmq.RecvTimeout.To(-1)); err != nil {
		return nil, err
	}
	if config.Attempts == 0 {
		config.Attempts = 1
	}
	c := &Client{socket: s, config: config, done: make(chan struct{}), calls: make(map[uint64]*call), last: rand.Uint64()}
	go c.read()
	return c, nil
}

// Request sends a message of the parts given, at least one, and returns the parts of
// the reply, which the caller owns. It waits for room and for the reply, until ctx
// ends or all attempts have had their time. The parts are copied; they must not
// change before it returns.
//
// The error wraps ctx.Err() when ctx ended. It is ErrAgain and
// os.ErrDeadlineExceeded when the last attempt's time passed, and ErrClosed, or
// ErrTerminated, when the Client or its context was closed meanwhile. After an error
// the server may have had the request, or may still get it.
//
// zmq_send, zmq_msg_recv.
func (c *Client) Request(ctx context.Context, parts ...[]byte) ([][]byte, error) {
	if !c.made() {
		return nil, errNil
	}
	if len(parts) == 0 {
		return nil, core.NewError("request", syscall.EINVAL, "a request has at least one part; pass an empty one to send nothing", nil)
	}
	if ctx == nil {
		ctx = context.Background()
	}
	if err := ctx.Err(); err != nil {
		return nil, ended(err)
	}
	k := calls.Get().(*call)
	number, err := c.enter(k)
	if err != nil {
		calls.Put(k)
		return nil, err
	}
	binary.BigEndian.PutUint64(k.number[:], number)
	k.parts = append(append(k.parts[:0], k.number[:], nil), parts...)
	c.requests.Add(1)
	reply, err := c.attempts(ctx, k)
	if got := c.leave(number, k); got != nil {
		reply, err = got, nil // a reply that has come is better than an error
	}
	clear(k.parts)
	calls.Put(k)
	return reply, err
}

// attempts sends the request and waits for its reply, as often as the
// configuration says.
func (c *Client) attempts(ctx context.Context, k *call) ([][]byte, error) {
	for attempt := 1; ; attempt++ {
		var expired <-chan time.Time
		if c.config.Timeout > 0 {
			k.timer.Reset(c.config.Timeout)
			expired = k.timer.C
		}
		reply, over, err := c.attempt(ctx, k, expired)
		k.timer.Stop()
		if !over {
			return reply, err
		}
		if attempt == c.config.Attempts {
			return nil, core.NewError("request", syscall.EAGAIN, fmt.Sprintf("no reply to %d attempts of %v; the server may be down or slow", attempt, c.config.Timeout), os.ErrDeadlineExceeded)
		}
		c.retries.Add(1)
	}
}

// attempt is one of them; over tells that its time passed.
func (c *Client) attempt(ctx context.Context, k *call, expired <-chan time.Time) (reply [][]byte, over bool, err error) {
	if over, err = c.send(ctx, k); over || err != nil {
		return nil, over, err
	}
	select {
	case reply = <-k.reply:
		return reply, false, nil
	case <-expired:
		return nil, true, nil
	case <-ctx.Done():
		return nil, false, ended(ctx.Err())
	case <-c.done:
		return nil, false, c.failed()
	}
}

// send sends the request. Mostly there is room, and it needs no context of its own.
func (c *Client) send(ctx context.Context, k *call) (over bool, err error) {
	err = c.socket.SendMultipart(k.parts, zmq.DontWait)
	if !isAgain(err) {
		return false, sendFailed(err)
	}
	limited := ctx
	if c.config.Timeout > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, c.config.Timeout)
		defer cancel()
	}
	err = c.socket.SendMultipartContext(limited, k.parts)
	switch {
	case err == nil:
		return false, nil
	case ctx.Err() != nil:
		return false, ended(ctx.Err())
	case limited.Err() != nil:
		return true, nil
	}
	return false, sendFailed(err)
}

// enter gives the call a number and enters it in the map.
func (c *Client) enter(k *call) (uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return 0, errClosed
	}
	c.last++
	c.calls[c.last] = k
	return c.last, nil
}

// leave takes the call out of the map. If the reader was faster it returns the reply.
func (c *Client) leave(number uint64, k *call) [][]byte {
	c.mu.Lock()
	delete(c.calls, number)
	c.mu.Unlock()
	select {
	case reply := <-k.reply:
		return reply
	default:
		return nil
	}
}

// read hands replies to their calls. It never waits for anybody but the socket.
func (c *Client) read() {
	defer close(c.done)
	for {
		m, err := c.socket.RecvMultipart()
		if err != nil {
			c.err = err
			return
		}
		if !c.deliver(m) {
			c.late.Add(1)
		}
	}
}

// deliver gives a reply to the call that waits for it, if one does.
func (c *Client) deliver(m [][]byte) bool {
	if len(m) < 2 || len(m[0]) != 8 || len(m[1]) != 0 {
		return false
	}
	number := binary.BigEndian.Uint64(m[0])
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.calls[number]
	if k == nil {
		return false
	}
	delete(c.calls, number)
	k.reply <- m[2:]
	return true
}

// made tells a client from one that is nil or was not made by NewClient.
func (c *Client) made() bool { return c != nil && c.socket != nil }

// Stats returns the counts so far.
func (c *Client) Stats() Stats {
	if !c.made() {
		return Stats{}
	}
	c.mu.Lock()
	waiting := len(c.calls)
	c.mu.Unlock()
	return Stats{Requests: c.requests.Load(), Retries: c.retries.Load(), Late: c.late.Load(), Waiting: waiting}
}

// Close closes the socket. Requests under way and later ones return ErrClosed. It
// waits for no request. Further calls do nothing. zmq_close.
func (c *Client) Close() error {
	if !c.made() {
		return nil
	}
	c.mu.Lock()
	c.closing = true
	c.mu.Unlock()
	err := c.socket.Close()
	<-c.done
	return err
}

// failed says why no reply can come any more.
func (c *Client) failed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return errClosed
	}
	return c.err
}
