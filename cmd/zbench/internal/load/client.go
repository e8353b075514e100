package load

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/zmq"
)

// errIntegrity is the error of a run in which another message came than the expected one.
var errIntegrity = errors.New("a message was lost, repeated, out of order or of the wrong size; please report it")

// client is one connection. It sends numbered messages and checks what comes back. One
// goroutine sends and one receives; they may be the same.
type client struct {
	record.Pattern
	socket  *zmq.Socket
	replies *zmq.Socket // receives: socket, or the server's
	foreign bool        // the server is elsewhere
	size    int
	out, in []byte   // the payload of all parts, and a byte more
	at      int      // where the last part begins, with the number
	message [][]byte // the parts of out, behind an address
	mark    [][]byte // the same, a byte longer: the end mark
	id      [256]byte
	next    uint64       // number of the next message to send
	track   Tracker      // of the replies
	sent    atomic.Int64 // next; any goroutine may read it
	came    atomic.Int64 // replies; any goroutine may read it
	broken  atomic.Bool  // the connection was lost, so that replies may be missing
}

func (e *ends) newClient(settings []zmq.Setting) (*client, error) {
	c := &client{Pattern: e.Pattern, size: e.size, foreign: e.server == nil}
	// The end mark is a byte longer than a message.
	c.out, c.in = append(bytes.Clone(e.payload[:e.size]), 0), make([]byte, e.size+1)
	if e.Client == zmq.Router {
		c.message = [][]byte{serverID}
	}
	c.mark = append(slices.Clone(c.message), Split(c.out, e.parts)...)
	c.message = append(c.message, Split(c.out[:e.size], e.parts)...)
	c.at = e.size - len(c.message[len(c.message)-1])
	if e.Client == zmq.Router {
		settings = append(settings, zmq.ConnectRoutingID.To(serverID), zmq.RouterMandatory.To(true))
	}
	var err error
	if c.socket, err = e.ctx.NewSocket(e.Client, settings...); err != nil {
		return nil, err
	}
	c.replies = c.socket
	if !e.Answered {
		c.replies = e.server
	}
	return c, nil
}

// numbered is the least size with room for a number.
const numbered = 8

// send sends the next message.
func (c *client) send() error {
	if c.size-c.at >= numbered {
		binary.NativeEndian.PutUint64(c.out[c.at:], c.next)
	}
	c.next++
	c.sent.Store(int64(c.next)) // before a reply can come
	err := c.sendParts(c.message)
	if err != nil {
		c.next--
	}
	return err
}

// sendEnd sends the end mark, after the last message.
func (c *client) sendEnd() error { return c.sendParts(c.mark) }

func (c *client) sendParts(parts [][]byte) error {
	if len(parts) > 1 {
		return c.socket.SendMultipart(context.Background(), parts)
	}
	return c.socket.Send(context.Background(), parts[0])
}

// recv waits for the next reply; end says that it is the end mark.
func (c *client) recv() (end bool, err error) {
	if c.Client == zmq.Router {
		if _, err := c.replies.Recv(context.Background(), c.id[:]); err != nil {
			return false, err
		}
	}
	n, err := c.recvParts()
	switch {
	case err != nil && c.foreign && errors.As(err, new(*zmq.TruncatedError)):
		return false, c.noEcho("a longer one")
	case err != nil:
		return false, err
	case n == c.size+1:
		return true, nil
	case n != c.size && c.foreign:
		return false, c.noEcho(fmt.Sprintf("%d B", n))
	case n != c.size:
		return false, errIntegrity
	case c.foreign && !c.same(n):
		return false, c.noEcho("another content")
	}
	return false, c.note()
}

// recvParts receives a message and returns its length, without an address.
func (c *client) recvParts() (n int, err error) {
	for more := true; more && err == nil && n < len(c.in); more = c.replies.RecvMore() {
		m := 0
		m, err = c.replies.Recv(context.Background(), c.in[n:])
		n += m
	}
	return n, err
}

// note checks and notes the number of a reply.
func (c *client) note() error {
	number := c.track.Next
	if c.size-c.at >= numbered {
		number = binary.NativeEndian.Uint64(c.in[c.at:])
	}
	if number < c.track.Next || number > c.track.Next && !c.broken.Load() || number >= uint64(c.sent.Load()) {
		why := fmt.Errorf("message %d came in place of message %d", number, c.track.Next)
		if c.foreign {
			return fmt.Errorf("%w: the peer must send back each message once, and in order", why)
		}
		return fmt.Errorf("%w: %w", why, errIntegrity)
	}
	c.track.See(number)
	c.came.Add(1)
	return nil
}

// same reports whether a reply of n bytes has the content of what was sent. Its number was
// looked at.
func (c *client) same(n int) bool {
	from := c.at
	if n-c.at >= numbered {
		from += numbered
	}
	return bytes.Equal(c.in[:c.at], c.out[:c.at]) && bytes.Equal(c.in[from:n], c.out[from:n])
}

func (c *client) noEcho(with string) error {
	return fmt.Errorf("a message of %d B was answered with %s: the peer must send back what it gets, like zbench echo", c.size, with)
}

// complete returns an error unless as many messages came as were sent. It is called after
// the end mark: nothing else tells of lost messages without room for a number.
func (c *client) complete() error {
	if c.next != c.track.Next && !c.broken.Load() {
		return fmt.Errorf("%s sent, %d received: %w", record.Count(c.next, "message"), c.track.Next, errIntegrity)
	}
	return nil
}

// unanswered returns how many messages have no reply.
func (c *client) unanswered() int64 { return c.track.Lost() + int64(c.next-c.track.Next) }

// greet exchanges a message before anything is measured.
func (c *client) greet(endpoint string) error {
	if !c.foreign {
		return c.trip()
	}
	if err := c.replies.Set(zmq.RecvTimeout.To(answer)); err != nil {
		return err
	}
	if err := c.send(); err != nil {
		return err
	}
	end, err := c.recv()
	switch {
	case errors.Is(err, zmq.ErrAgain):
		return c.diagnose(endpoint)
	case end:
		err = c.noEcho(fmt.Sprintf("%d B", c.size+1))
	case errors.Is(err, errIntegrity):
		err = c.noEcho("another one")
	}
	return errors.Join(err, c.replies.Set(zmq.RecvTimeout.To(-1)))
}

// answer is how long a peer has to answer the first message.
const answer = 3 * time.Second

// diagnose says why a peer that is connected does not answer. A REP drops messages that
// do not have the empty part of a REQ's first.
func (c *client) diagnose(endpoint string) error {
	silent := record.Exitf(record.Unfit, "%s: the peer did not answer in %v: it must send back what it gets, like zbench echo with the same --pattern", endpoint, answer)
	if c.Client != zmq.Dealer {
		return silent
	}
	if err := c.socket.SendMultipart(context.Background(), append([][]byte{nil}, c.message...)); err != nil {
		return silent
	}
	reply, err := c.socket.RecvMultipart(context.Background())
	if err == nil && len(reply) > 0 && len(reply[0]) == 0 {
		return mismatchError{fmt.Errorf("%s: the peer is a REP and drops what a DEALER sends; use --pattern reqrep, or start the peer with zbench echo --pattern dealerrouter", endpoint)}
	}
	return silent
}
