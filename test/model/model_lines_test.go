package model

import (
	"context"
	"errors"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-zmq/go-zmq/zmq"
)

// sender chooses a socket that can send.
func (m *model) sender(t *rapid.T) *node {
	return one(t, m.lined, func(n *node) bool { return !n.closed && n.out != nil && len(n.out.queue) < mostWaits })
}

// addressed is what a socket is given to send a message.
func (n *node) addressed(parts [][]byte) [][]byte {
	if n.id == nil {
		return parts
	}
	return append([][]byte{n.id}, parts...)
}

// accepted notes a message that was sent, or may not have been for one of these reasons.
func (m *model) accepted(t *rapid.T, n *node, parts [][]byte, err error) {
	if err == nil {
		if !m.peerOf(n).closed {
			n.out.queue = append(n.out.queue, parts)
		}
		return
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return
	}
	allowed := []error{zmq.ErrAgain}
	if m.peerOf(n).closed {
		allowed = append(allowed, zmq.ErrHostUnreachable)
	}
	m.allow(t, err, allowed...)
}

// soon returns a context for calls that may wait forever.
func (m *model) soon(t *rapid.T) (context.Context, context.CancelFunc) {
	return context.WithTimeout(m.ctx, time.Duration(rapid.IntRange(0, 3).Draw(t, "ms"))*time.Millisecond)
}

// send sends one message in one call.
func (m *model) send(t *rapid.T) {
	n := m.sender(t)
	if len(n.parts) > 0 {
		require.ErrorIs(t, n.s.SendMultipart(context.Background(), [][]byte{m.content(t)}), zmq.ErrState)
		return
	}
	parts := [][]byte{m.content(t)}
	for range rapid.IntRange(0, 6).Draw(t, "more parts") {
		parts = append(parts, m.content(t))
	}
	whole := n.addressed(parts)
	ctx, cancel := m.soon(t)
	defer cancel()
	var err error
	switch way := rapid.IntRange(0, 3).Draw(t, "way"); {
	case way == 0 && len(whole) == 1:
		err = n.s.Send(context.Background(), whole[0], zmq.DontWait)
	case way == 1:
		err = n.s.SendMultipart(ctx, whole)
	case way == 2:
		native := make(zmq.Multipart, len(whole))
		for i := range whole {
			p, made := zmq.NewMessageBytes(whole[i])
			require.NoError(t, made)
			require.NoError(t, p.MoveTo(&native[i]))
		}
		err = n.s.SendMultipartMessage(context.Background(), native, zmq.DontWait)
		if err != nil && !errors.Is(err, zmq.ErrHostUnreachable) {
			require.Equal(t, whole, native.Bytes(), "nothing was sent, and nothing is missing")
		}
		require.NoError(t, native.Close())
	default:
		err = n.s.SendMultipart(context.Background(), whole, zmq.DontWait)
	}
	m.accepted(t, n, parts, err)
}

// sendParts collects a part, or completes the message.
func (m *model) sendParts(t *rapid.T) {
	n := m.sender(t)
	if n.id != nil && len(n.parts) == 0 {
		require.NoError(t, n.s.Send(context.Background(), n.id, zmq.SendMore))
	}
	part := m.content(t)
	if rapid.Bool().Draw(t, "more") && len(n.parts) < 8 {
		require.NoError(t, n.s.Send(context.Background(), part, zmq.SendMore))
		n.parts = append(n.parts, part)
		return
	}
	err := n.s.Send(context.Background(), part, zmq.DontWait)
	m.accepted(t, n, append(n.parts, part), err)
	collected := len(n.addressed(n.parts))
	n.parts = nil
	kept := n.s.DiscardParts()
	switch {
	case err == nil:
		require.Zero(t, kept)
	case errors.Is(err, zmq.ErrHostUnreachable): // its peer may have left in the middle
		require.Contains(t, []int{0, collected}, kept)
	default:
		require.Equal(t, collected, kept, "they are kept for another try")
	}
}

func (m *model) sendBatch(t *rapid.T) {
	n := m.sender(t)
	b := zmq.NewBatch(10)
	defer func() { require.NoError(t, b.Close()) }()
	if len(n.parts) > 0 {
		require.NoError(t, b.Append(m.content(t)))
		require.ErrorIs(t, errOf(n.s.SendBatch(context.Background(), b)), zmq.ErrState)
		require.Equal(t, 1, b.Len())
		return
	}
	var all [][][]byte
	for range rapid.IntRange(0, 10).Draw(t, "messages") {
		parts := [][]byte{m.content(t), m.content(t)}[:rapid.IntRange(1, 2).Draw(t, "parts")]
		require.NoError(t, b.Append(n.addressed(parts)...))
		all = append(all, parts)
	}
	ctx, cancel := m.soon(t)
	defer cancel()
	sent, err := n.s.SendBatch(ctx, b)
	require.LessOrEqual(t, sent, len(all))
	for _, parts := range all[:sent] {
		m.accepted(t, n, parts, nil)
	}
	if err == nil {
		require.Equal(t, len(all), sent)
		return
	}
	m.accepted(t, n, nil, err)
}

// receiver chooses a socket to which something is on its way.
func (m *model) receiver(t *rapid.T) *node {
	return one(t, m.lined, func(n *node) bool {
		return !n.closed && n.in != nil && (len(n.rest) > 0 || len(n.in.queue) > 0)
	})
}

// next is what a receive of the whole message at hand returns. A ROUTER's has the id.
func (n *node) next() [][]byte {
	if len(n.rest) > 0 {
		return n.rest
	}
	return n.addressed(n.in.queue[0])
}

// got notes that the next message was received.
func (m *model) got(n *node) {
	if len(n.rest) > 0 {
		n.rest = nil
		return
	}
	n.in.queue = n.in.queue[1:]
	m.knows(n)
}

// knows notes that a ROUTER has heard of its peer.
func (m *model) knows(n *node) {
	if n.id != nil && n.out == nil {
		peer := m.peerOf(n)
		n.out = peer.in
		n.out.cut = n.closed
	}
}

// ended reports whether a receive may have ended without a message: the sender was closed with
// messages under way. These do not arrive any more.
func (m *model) ended(t *rapid.T, n *node, err error) bool {
	if err == nil {
		return false
	}
	if n.in.cut && len(n.rest) == 0 && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, zmq.ErrAgain)) {
		return true
	}
	require.NoError(t, err)
	return true
}

// patience is how long a message may take to come.
func (m *model) patience(n *node) (context.Context, context.CancelFunc) {
	if n.in.cut {
		return context.WithTimeout(m.ctx, 2*time.Millisecond)
	}
	return context.WithCancel(m.ctx)
}

func (m *model) receive(t *rapid.T) { m.receiveWhole(t, m.receiver(t), rapid.Bool().Draw(t, "copies")) }

func (m *model) receiveWhole(t *rapid.T, n *node, copies bool) {
	want := n.next()
	ctx, cancel := m.patience(n)
	defer cancel()
	var got [][]byte
	var err error
	if copies {
		got, err = n.s.RecvMultipart(ctx)
	} else {
		var p zmq.Multipart
		err = n.s.RecvMultipartMessage(ctx, &p)
		got = p.Bytes()
		require.NoError(t, p[:cap(p)].Close())
	}
	if m.ended(t, n, err) {
		return
	}
	require.Equal(t, want, got)
	require.False(t, n.s.RecvMore())
	m.got(n)
}

// receivePart receives one part.
func (m *model) receivePart(t *rapid.T) {
	n := m.receiver(t)
	want := n.next()
	ctx, cancel := m.patience(n)
	defer cancel()
	var got []byte
	var err error
	switch rapid.IntRange(0, 2).Draw(t, "way") {
	case 0:
		got, err = n.s.RecvBytes(ctx)
	case 1:
		buf := make([]byte, 10_000)
		var size int
		size, err = n.s.Recv(ctx, buf)
		got = buf[:size]
	default:
		var part zmq.Message
		err = n.s.RecvMessage(ctx, &part)
		got = append([]byte{}, part.Bytes()...)
		require.NoError(t, part.Close())
	}
	if m.ended(t, n, err) {
		return
	}
	require.Equal(t, want[0], got)
	require.Equal(t, len(want) > 1, n.s.RecvMore())
	if len(n.rest) == 0 {
		n.in.queue = n.in.queue[1:]
		m.knows(n)
	}
	n.rest = want[1:]
}

func (m *model) receiveBatch(t *rapid.T) {
	n := m.receiver(t)
	b := zmq.NewBatch(rapid.IntRange(1, 20).Draw(t, "most"))
	defer func() { require.NoError(t, b.Close()) }()
	ctx, cancel := m.patience(n)
	defer cancel()
	count, err := n.s.RecvBatch(ctx, b)
	if m.ended(t, n, err) {
		return
	}
	require.Positive(t, count)
	require.Equal(t, count, b.Len())
	for i := range count {
		require.True(t, len(n.rest) > 0 || len(n.in.queue) > 0, "more messages than were sent")
		require.Equal(t, n.next(), b.At(i).Bytes())
		m.got(n)
	}
}

// receiveNothing looks where nothing is on its way.
func (m *model) receiveNothing(t *rapid.T) {
	n := one(t, m.lined, func(n *node) bool {
		return !n.closed && n.in != nil && len(n.rest) == 0 && len(n.in.queue) == 0
	})
	ctx, cancel := m.soon(t)
	defer cancel()
	require.ErrorIs(t, errOf(n.s.RecvBytes(context.Background(), zmq.DontWait)), zmq.ErrAgain)
	require.ErrorIs(t, errOf(n.s.RecvMultipart(ctx)), context.DeadlineExceeded)
	require.False(t, n.s.RecvMore())
}
