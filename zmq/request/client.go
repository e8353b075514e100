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
	"github.com/go-zmq/go-zmq/internal/fault"
	"github.com/go-zmq/go-zmq/zmq"
)

// Config sets the attempts of a Client. The zero value means one attempt without a time
// limit.
type Config struct {
	// Attempts is how many times a request is sent before it fails. 0 means 1. A negative
	// number means that only the request's context limits the attempts; it requires a
	// Timeout.
	Attempts int
	// Timeout is the limit of each attempt, for sending and for the reply together. 0 or
	// less means no limit: only the request's context ends the attempt.
	Timeout time.Duration
}

// Stats holds the counts of a Client since NewClient.
type Stats struct {
	Requests uint64 // calls of Request that made at least one attempt
	Retries  uint64 // attempts after the first one of a request
	Late     uint64 // messages dropped because they were malformed or no request with their number was under way
	Waiting  int    // requests under way
}

// Client sends requests and returns their replies. Any number of goroutines may use it at
// the same time. Create one with NewClient and close it with Close.
type Client struct {
	socket *zmq.Socket
	config Config
	done   chan struct{} // closed when the reader has stopped
	err    error         // why it stopped

	mu      sync.Mutex
	calls   map[uint64]*call
	last    uint64 // the last number
	closing bool

	requests, retries, late atomic.Uint64
}

// A call is one request under way. Except for reply and cancel, it belongs to the
// goroutine in Request.
type call struct {
	reply  chan [][]byte // receives one reply when the call is removed from the map
	timer  *time.Timer
	number [8]byte
	parts  [][]byte
	cancel context.CancelFunc // ends a wait for room to send; guarded by Client.mu
}

var calls = sync.Pool{New: func() any {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	return &call{reply: make(chan [][]byte, 1), timer: timer}
}}

// NewClient creates a Client for a DEALER socket. The socket may be connected or bound
// before or after this call. If the call succeeds, the socket belongs to the Client: the
// program must not send or receive on it, or close it. The Client turns off SendTimeout
// and RecvTimeout; Config.Timeout and contexts replace them. NewClient does not block. It
// fails with EINVAL for another type of socket, and for unlimited attempts without a
// Timeout.
//
// Requests for an absent server wait in the socket's queue, up to SendHWM. They are sent
// when the server is back, even if Request has already returned an error. With several
// servers, the socket sends requests to each of them in turn, so that the next attempt
// goes to the next server. With zmq.Immediate it skips servers that are not connected.
func NewClient(s *zmq.Socket, config Config) (*Client, error) {
	if t := s.Type(); s != nil && t != zmq.Dealer {
		return nil, &zmq.Error{Op: "request", Errno: syscall.EINVAL, Detail: "a Client needs a DEALER socket, not a " + t.String()}
	}
	if config.Attempts < 0 && config.Timeout <= 0 {
		return nil, &zmq.Error{Op: "request", Errno: syscall.EINVAL, Detail: "unlimited attempts need a Config.Timeout"}
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

// Request sends a message of one or more parts and returns the parts of the reply, which
// the caller owns. It blocks until the reply arrives, ctx is done, or the time of the
// last attempt has passed. The parts are copied and must not change before Request
// returns.
//
// The error wraps ctx.Err() if ctx is done. It matches both zmq.ErrAgain and
// os.ErrDeadlineExceeded if the time of the last attempt has passed. It is zmq.ErrClosed
// if the Client was closed, and zmq.ErrTerminated if the context of its socket was shut
// down. It is EINVAL if there are no parts or ctx is nil. After an error the server may
// have received the request, or may still receive it.
//
// Implements: zmq_send, zmq_msg_recv.
func (c *Client) Request(ctx context.Context, parts ...[]byte) ([][]byte, error) {
	if !c.made() {
		return nil, errNil
	}
	if len(parts) == 0 {
		return nil, &zmq.Error{Op: "request", Errno: syscall.EINVAL, Detail: "a request needs at least one part, which may be empty"}
	}
	if ctx == nil {
		return nil, &zmq.Error{Op: "request", Errno: syscall.EINVAL, Detail: fault.NilContext}
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
		reply, err = got, nil // a reply arrived after the error: return it
	}
	clear(k.parts)
	k.cancel = nil
	calls.Put(k)
	return reply, err
}

// attempts sends the request and waits for its reply, as often as the Config allows.
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
			err := &zmq.Error{Op: "request", Errno: syscall.EAGAIN, Detail: fmt.Sprintf("no reply to %d attempts of %v; the server may be down or slow", attempt, c.config.Timeout)}
			*core.Of(err) = os.ErrDeadlineExceeded
			return nil, err
		}
		c.retries.Add(1)
	}
}

// attempt makes one attempt. over reports that its time has passed.
func (c *Client) attempt(ctx context.Context, k *call, expired <-chan time.Time) (reply [][]byte, over bool, err error) {
	if err := c.send(ctx, k); err != nil {
		return nil, false, err
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

// send sends the request. It first tries without blocking, which needs no new context. It
// may return nil without having sent if the attempt is over, for example because the reply
// to an earlier one has arrived.
func (c *Client) send(ctx context.Context, k *call) error {
	err := c.socket.SendMultipart(context.Background(), k.parts, zmq.DontWait)
	if !isAgain(err) {
		return sendFailed(err)
	}
	limited := ctx
	if c.config.Timeout > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, c.config.Timeout)
		defer cancel()
		c.mu.Lock()
		if k.cancel = cancel; len(k.reply) > 0 {
			cancel()
		}
		c.mu.Unlock()
	}
	err = c.socket.SendMultipart(limited, k.parts)
	if limited.Err() != nil {
		return nil // attempt finds the reason
	}
	return sendFailed(err)
}

// enter gives the call a number and adds it to the map.
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

// leave removes the call from the map. It returns the reply if the reader delivered one.
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

// read delivers replies to their calls. It blocks only on the socket.
func (c *Client) read() {
	defer close(c.done)
	for {
		m, err := c.socket.RecvMultipart(context.Background())
		if err != nil {
			c.err = err
			return
		}
		if !c.deliver(m) {
			c.late.Add(1)
		}
	}
}

// deliver gives a reply to the call with its number and reports whether there is one.
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
	if k.cancel != nil {
		k.cancel()
	}
	return true
}

// made reports whether the client was created by NewClient.
func (c *Client) made() bool { return c != nil && c.socket != nil }

// Stats returns the counts. It does not block.
func (c *Client) Stats() Stats {
	if !c.made() {
		return Stats{}
	}
	c.mu.Lock()
	waiting := len(c.calls)
	c.mu.Unlock()
	return Stats{Requests: c.requests.Load(), Retries: c.retries.Load(), Late: c.late.Load(), Waiting: waiting}
}

// Close closes the socket. Requests under way and later ones return zmq.ErrClosed. It does
// not wait for replies. Further calls do nothing.
//
// Implements: zmq_close.
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

// failed returns the reason why no reply can arrive any more.
func (c *Client) failed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return errClosed
	}
	return c.err
}
