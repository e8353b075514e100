package libzmq

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// list returns the buffers of a list.
func list(b *Buffer) (all []*Buffer) {
	for ; b != nil; b = b.Next {
		all = append(all, b)
	}
	return all
}

func content(b *Buffer, n int) []byte { return unsafe.Slice((*byte)(b.Content()), n) }

func TestBuffersComeBack(t *testing.T) {
	require.NoError(t, Load())
	home := OpenHome(-1)
	require.NotNil(t, home)
	require.Zero(t, home.Live())
	require.Nil(t, home.Take())
	buffers := list(home.Alloc(1000, 0, 7, 5))
	require.Len(t, buffers, 5)
	require.Equal(t, 5, home.Live())
	for i, b := range buffers {
		require.EqualValues(t, 7, b.Tag)
		require.Same(t, home, b.Home())
		require.Zero(t, uintptr(b.Content())%64, "content begins on a cache line")
		for k := range content(b, 1000) {
			content(b, 1000)[k] = byte(i) // the room belongs to this buffer only
		}
	}
	for i, b := range buffers {
		for _, v := range content(b, 1000) {
			require.Equal(t, byte(i), v)
		}
		b.GiveBack()
	}
	back := list(home.Take())
	require.Len(t, back, 5)
	for i := range back {
		require.Same(t, buffers[4-i], back[i], "the last one first")
	}
	require.Nil(t, home.Take())
	require.Equal(t, 5, home.Live())
	for _, b := range back {
		b.GiveBack()
	}
	require.Equal(t, back, list(home.TakeInOrder()), "the first one first")
	require.Nil(t, home.TakeInOrder())

	// A list that is freed, a buffer that came back before Close, and some after it.
	back[0].Next = nil
	back[0].Free()
	require.Equal(t, 4, home.Live())
	back[1].GiveBack()
	home.Close()
	require.Equal(t, 3, home.Live())
	require.Nil(t, home.Take())
	for _, b := range back[2:] {
		b.GiveBack()
	}
	require.Zero(t, home.Live())
	home.Leave()
	require.Same(t, home, OpenHome(-1), "a home that was left is used again")
	require.Nil(t, home.Take())
	home.Close()
	home.Leave()
}

// A home is not used again while one of its buffers is away.
func TestHomeWaitsForItsBuffers(t *testing.T) {
	require.NoError(t, Load())
	home := OpenHome(-1)
	b := home.Alloc(10, 0, 0, 1)
	home.Close()
	home.Leave()
	other := OpenHome(-1)
	require.NotSame(t, home, other)
	b.GiveBack()
	require.Zero(t, home.Live())
	other.Close()
	other.Leave()
}

func TestBuffersOfAbsurdSize(t *testing.T) {
	require.NoError(t, Load())
	home := OpenHome(-1)
	require.Nil(t, home.Alloc(1<<62, 0, 0, 1))
	require.Empty(t, list(home.Alloc(100, 0, 0, 0)))
	require.Zero(t, home.Live())
	home.Close()
	home.Leave()
	require.Nil(t, Memory(1<<62))
}

// What a message lends comes back however the message ends.
func TestMsgLends(t *testing.T) {
	require.NoError(t, Load())
	home := OpenHome(-1)
	b := home.Alloc(100, 0, 0, 1)
	for name, end := range map[string]func(m *Msg){
		"close":     func(m *Msg) { m.Close(); m.Close() },
		"closemsgs": func(m *Msg) { msgs := []Msg{{}, {}, {}}; msgs[1].Take(m); CloseMsgs(msgs); CloseMsgs(msgs) },
		"alloc":     func(m *Msg) { require.Zero(t, m.Alloc(5)); m.Close() },
		"clone": func(m *Msg) {
			var c Msg
			require.Zero(t, m.Clone(&c))
			require.Equal(t, m.Bytes(), c.Bytes())
			m.Close()
			require.Nil(t, home.Take(), "the clone has it")
			c.Close()
		},
		"swap": func(m *Msg) {
			var o Msg
			m.SetOwner(1)
			o.SetOwner(2)
			m.Swap(&o)
			require.EqualValues(t, 1, m.Owner())
			require.EqualValues(t, 2, o.Owner())
			require.Zero(t, m.Len())
			o.Close()
		},
	} {
		var m Msg
		m.Lend(b, b.Content(), 100, true)
		require.True(t, m.More())
		require.Equal(t, 100, m.Len())
		require.Same(t, (*byte)(b.Content()), &m.Bytes()[0])
		lent, unseen := m.Lent()
		require.True(t, unseen)
		require.Same(t, b, lent)
		require.Nil(t, home.Take(), name)
		end(&m)
		require.Zero(t, m.Len(), name)
		require.False(t, m.Holds(), name)
		require.Equal(t, []*Buffer{b}, list(home.Take()), name)
	}
	b.Next = nil
	b.Free()
	home.Close()
	home.Leave()
}

// A view is copied when it is cloned, and leaves nothing behind.
func TestMsgViews(t *testing.T) {
	require.NoError(t, Load())
	for _, size := range []int{0, 1, 33, 34, 5000} {
		p := Memory(max(size, 1))[:size]
		for i := range p {
			p[i] = byte(i)
		}
		var m, c Msg
		m.View(p, false)
		b, unseen := m.Lent()
		require.True(t, unseen)
		require.Nil(t, b)
		require.Zero(t, m.Clone(&c))
		clear(p)
		for i := range c.Bytes() {
			require.Equal(t, byte(i), c.Bytes()[i])
			require.Equal(t, byte(i), m.Bytes()[i])
		}
		require.Equal(t, size, c.Len())
		c.Close()
		m.Close()
		m.View(p, true)
		m.Close()
		require.False(t, m.Holds())
		FreeMemory(p[:1][:0])
	}
}
