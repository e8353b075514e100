//go:build unix

package aborts

import (
	"bytes"
	"context"
	"math/rand/v2"
	"time"

	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/zmq"
)

// A caller is one goroutine of TestRandomCalls with the messages that it holds. What its
// calls return does not matter, but what it holds must not change.
type caller struct {
	w     *world
	ends  bool // it shuts the context down or closes it
	r     *rand.Rand
	batch *zmq.Batch
	views zmq.Multipart
	held  []heldMessage
}

// A heldMessage is a message with what its content was.
type heldMessage struct {
	m    *zmq.Message
	want []byte
}

// mostHeld is how many messages a caller holds.
const mostHeld = 20

func newCaller(w *world, ends bool, r *rand.Rand) *caller {
	return &caller{w: w, ends: ends, r: r, batch: zmq.NewBatch(1 + r.IntN(8))}
}

func (c *caller) close() {
	for len(c.held) > 0 {
		c.release(0)
	}
	_ = c.views[:cap(c.views)].Close()
	if err := c.batch.Close(); err != nil {
		c.w.t.Error(err)
	}
}

// socket draws a socket, which another caller may be closing.
func (c *caller) socket() *zmq.Socket {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	return c.w.sockets[c.r.IntN(len(c.w.sockets))]
}

// end shuts the context down, or closes it, while the others call.
func (c *caller) end() {
	switch c.r.IntN(3) {
	case 0:
		_ = c.w.context.Shutdown()
	case 1:
		ctx, cancel := c.soon()
		defer cancel()
		_ = c.w.context.CloseContext(ctx)
	case 2:
		_ = c.w.context.Close()
	}
}

// soon is a context that ends within some milliseconds.
func (c *caller) soon() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), time.Duration(c.r.IntN(3000))*time.Microsecond)
}

func (c *caller) call() {
	calls := []struct {
		weight int
		call   func(s *zmq.Socket)
	}{
		{8, func(s *zmq.Socket) { _ = s.SendMultipart(context.Background(), c.message(), zmq.DontWait) }},
		{6, c.sendMessages},
		{3, c.sendMultipartMessage},
		{3, c.sendBatch},
		{4, c.sendBack},
		{8, c.recvMessage},
		{4, c.recvMultipartMessage},
		{4, c.recvBatch},
		{2, c.recvCancelled},
		{3, func(s *zmq.Socket) { _, _ = s.RecvBytes(context.Background(), zmq.DontWait) }},
		{2, func(s *zmq.Socket) { _, _ = zmq.Events.Get(s) }},
		{3, c.subscribe},
		{1, func(s *zmq.Socket) { _ = s.Set(c.w.setting(c.r)) }},
		{2, c.attachments},
		{1, c.unbind},
		{1, c.proxy},
		{1, c.replace},
		{1, c.waitPeers},
		{2, c.drafts},
		{3, c.look},
	}
	sum := 0
	for _, choice := range calls {
		sum += choice.weight
	}
	n := c.r.IntN(sum)
	for _, choice := range calls {
		if n -= choice.weight; n < 0 {
			choice.call(c.socket())
			return
		}
	}
}

// message draws one to four parts, some of which mean something to some types.
func (c *caller) message() [][]byte {
	parts := make([][]byte, 1+c.r.IntN(4))
	if c.w.single {
		parts = parts[:1]
	}
	for i := range parts {
		parts[i] = [][]byte{{}, {0}, {1}, {2}, {1, 'a'}, {0, 'a'}, []byte("id"), c.body(), c.body(), c.body()}[c.r.IntN(10)]
	}
	return parts
}

// body draws content that libzmq does not keep inside the message itself. The first byte
// is none of a subscription.
func (c *caller) body() []byte {
	size := 34 + c.r.IntN(200)
	if c.r.IntN(10) == 0 {
		size = 3000 + c.r.IntN(20000)
	}
	return bytes.Repeat([]byte{'A' + byte(c.r.IntN(26))}, size)
}

// part makes a message with this content, in memory of a random kind.
func (c *caller) part(content []byte) *zmq.Message {
	var m *zmq.Message
	var err error
	switch kind := c.r.IntN(4); {
	case kind == 0:
		m, err = pool.Default().GetBytes(content)
	case kind == 1 && !c.w.cuts():
		m, err = zmq.NewMessageZeroCopy(content, nil)
	case kind == 2 && len(c.held) > 0:
		m, err = c.held[c.r.IntN(len(c.held))].m.Clone()
	default:
		m, err = zmq.NewMessageBytes(content)
	}
	if err != nil {
		c.w.t.Error(err)
		return new(zmq.Message)
	}
	if c.r.IntN(4) == 0 {
		c.hold(m)
	}
	return m
}

// hold keeps a clone of m.
func (c *caller) hold(m *zmq.Message) {
	if len(c.held) >= mostHeld {
		c.release(c.r.IntN(len(c.held)))
	}
	want := bytes.Clone(m.Bytes())
	clone, err := m.Clone()
	if err != nil {
		c.w.t.Error(err)
		return
	}
	c.held = append(c.held, heldMessage{clone, want})
}

// keep holds m instead of its original, and has the allocator give out memory of its size.
func (c *caller) keep(m *zmq.Message) {
	c.hold(m)
	size := m.Len()
	_ = m.Close()
	other, err := zmq.NewMessageBytes(bytes.Repeat([]byte{0xee}, size))
	if err != nil {
		c.w.t.Error(err)
		return
	}
	_ = other.Close()
}

// release closes a message, whose content must be what it was.
func (c *caller) release(i int) {
	h := c.held[i]
	if !bytes.Equal(h.want, h.m.Bytes()) {
		c.w.t.Errorf("a message of %d bytes has changed: %.40q, was %.40q", len(h.want), h.m.Bytes(), h.want)
	}
	_ = h.m.Close()
	c.held[i] = c.held[len(c.held)-1]
	c.held = c.held[:len(c.held)-1]
}

func (c *caller) sendMessages(s *zmq.Socket) {
	parts := c.message()
	for i, content := range parts {
		flags := zmq.DontWait
		if i < len(parts)-1 {
			flags |= zmq.SendMore
		}
		m := c.part(content)
		_ = s.SendMessage(context.Background(), m, flags)
		_ = m.Close()
	}
}

func (c *caller) sendMultipartMessage(s *zmq.Socket) {
	var p zmq.Multipart
	for _, content := range c.message() {
		m := c.part(content)
		if err := p.Append(m); err != nil {
			c.w.t.Error(err)
		}
	}
	_ = s.SendMultipartMessage(context.Background(), p, zmq.DontWait)
	_ = p.Close()
}

func (c *caller) sendBatch(s *zmq.Socket) {
	for range c.r.IntN(5) {
		_ = c.batch.Append(c.message()...)
	}
	_, _ = s.SendBatch(context.Background(), c.batch, zmq.DontWait)
	if c.r.IntN(2) == 0 {
		c.batch.Reset()
	}
}

// sendBack sends a message to where it came from, or elsewhere.
func (c *caller) sendBack(s *zmq.Socket) {
	parts, err := s.RecvMultipart(context.Background(), zmq.DontWait)
	if err != nil {
		return
	}
	if c.r.IntN(3) == 0 {
		s = c.socket()
	}
	_ = s.SendMultipart(context.Background(), parts, zmq.DontWait)
}

func (c *caller) recvMessage(s *zmq.Socket) {
	var m zmq.Message
	if s.RecvMessage(context.Background(), &m, zmq.DontWait) == nil && c.r.IntN(2) == 0 {
		c.keep(&m)
	}
	_ = m.Close()
}

func (c *caller) recvMultipartMessage(s *zmq.Socket) {
	if s.RecvMultipartMessage(context.Background(), &c.views, zmq.DontWait) != nil {
		return
	}
	for i := range c.views {
		if c.r.IntN(2) == 0 {
			c.hold(&c.views[i])
		}
	}
	_ = c.socket().SendMultipartMessage(context.Background(), c.views, zmq.DontWait)
}

func (c *caller) recvBatch(s *zmq.Socket) {
	if _, err := s.RecvBatch(context.Background(), c.batch, zmq.DontWait); err != nil {
		return
	}
	for _, p := range c.batch.All() {
		if c.r.IntN(2) == 0 {
			c.keep(&p[c.r.IntN(len(p))])
		}
	}
	_, _ = c.socket().SendBatch(context.Background(), c.batch, zmq.DontWait)
	c.batch.Reset()
}

func (c *caller) recvCancelled(s *zmq.Socket) {
	ctx, cancel := c.soon()
	defer cancel()
	var m zmq.Message
	if s.RecvMessage(ctx, &m) == nil {
		c.keep(&m)
	}
}

func (c *caller) subscribe(s *zmq.Socket) {
	topic := []string{"", "a", "A", "id"}[c.r.IntN(4)]
	if c.r.IntN(3) > 0 {
		_ = s.Subscribe(topic)
	} else {
		_ = s.Unsubscribe(topic)
	}
}

func (c *caller) attachments(s *zmq.Socket) {
	c.w.mu.Lock()
	endpoint := c.w.endpoints[c.r.IntN(worldBinds)]
	c.w.mu.Unlock()
	if c.r.IntN(3) == 0 {
		_ = s.Connect(endpoint)
	} else {
		_ = s.Disconnect(endpoint)
	}
}

// unbind unbinds a socket where libzmq does not abort, and binds it again.
func (c *caller) unbind(*zmq.Socket) {
	if c.w.fragile() {
		return
	}
	c.w.mu.Lock()
	i := c.r.IntN(worldBinds)
	s, endpoint := c.w.sockets[i], c.w.endpoints[i]
	c.w.mu.Unlock()
	if s.Unbind(endpoint) == nil {
		_ = s.Bind(endpoint)
	}
}

// proxy moves messages between two sockets for some milliseconds.
func (c *caller) proxy(s *zmq.Socket) {
	c.w.mu.Lock()
	capture := c.w.sockets[worldCopies]
	c.w.mu.Unlock()
	if c.r.IntN(3) == 0 {
		capture = nil
	}
	ctx, cancel := c.soon()
	defer cancel()
	_ = zmq.Proxy(ctx, s, c.socket(), capture)
}

func (c *caller) replace(*zmq.Socket) {
	if c.r.IntN(4) == 0 {
		c.w.replace(c.r, c.r.IntN(len(c.w.sockets)))
	}
}

func (c *caller) waitPeers(s *zmq.Socket) {
	ctx, cancel := c.soon()
	defer cancel()
	if c.r.IntN(2) == 0 {
		_ = s.WaitConnected(ctx, 1+c.r.IntN(3))
	} else {
		_ = s.WaitSubscribers(ctx, 1+c.r.IntN(3))
	}
}

// drafts makes a call that only draft types take.
func (c *caller) drafts(s *zmq.Socket) {
	switch c.r.IntN(4) {
	case 0:
		_ = s.Join("group")
	case 1:
		_ = s.Leave("group")
	case 2:
		_ = s.SendGroup(context.Background(), "group", c.body(), zmq.DontWait)
	case 3:
		buf := make([]byte, 100)
		if _, id, err := s.RecvFrom(context.Background(), buf, zmq.DontWait); err == nil {
			_ = s.SendTo(context.Background(), id, c.body(), zmq.DontWait)
		}
	}
}
