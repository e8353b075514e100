package inbox

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

func TestMain(m *testing.M) {
	if err := libzmq.Load(); err != nil {
		panic(err)
	}
	m.Run()
}

// message returns the parts "a.0", "a.1" and so on of a message.
func message(name string, parts int) []libzmq.Msg {
	msgs := make([]libzmq.Msg, parts)
	for i := range msgs {
		fill(&msgs[i], name+"."+string(rune('0'+i)), i < parts-1)
	}
	return msgs
}

func fill(m *libzmq.Msg, content string, more bool) {
	if rc := m.Alloc(len(content)); rc < 0 {
		panic(rc)
	}
	copy(m.Bytes(), content)
	m.SetMore(more)
}

type cleaner interface{ Cleanup(func()) }

func newQueue(t cleaner) *Queue {
	q := new(Queue)
	q.Init()
	t.Cleanup(q.Close)
	return q
}

// queued returns the parts in the queue.
func queued(q *Queue) (parts []string) {
	for i := range q.msgs[q.head:q.n] {
		parts = append(parts, string(q.msgs[q.head+i].Bytes()))
	}
	return parts
}

func TestPutBackStaysBehindTheMessageBeingReceived(t *testing.T) {
	q := newQueue(t)
	q.insert(slices.Concat(message("a", 3), message("b", 1)), false)
	require.Equal(t, "a.0", string(q.Next().Bytes()))
	require.True(t, q.More())
	require.False(t, q.Ready())
	q.PutBack(message("c", 2))
	require.Equal(t, []string{"a.1", "a.2", "c.0", "c.1", "b.0"}, queued(q))
	require.Len(t, q.TakeRest(), 2)
	require.False(t, q.More())
	require.True(t, q.Ready())
	require.Empty(t, q.TakeRest(), "no message was begun")
	require.Equal(t, 3, q.Held())
}

func TestFilterKeepsTheMessageBeingReceived(t *testing.T) {
	q := newQueue(t)
	q.insert(slices.Concat(message("a", 2), message("b", 2), message("a", 1), message("c", 1)), false)
	q.Next()
	q.Filter(func(first []byte) bool { return first[0] == 'a' })
	require.Equal(t, []string{"a.1", "b.0", "b.1", "c.0"}, queued(q))
}

// A loop that asks only for More must end after a close, with the error of the next receive.
func TestCloseLeavesMore(t *testing.T) {
	q := newQueue(t)
	q.insert(message("a", 2), false)
	q.Next()
	q.Close()
	require.Zero(t, q.Held())
	require.True(t, q.More())
	q.EndMessage()
	require.False(t, q.More())
}

func TestShrinkFreesTheRoom(t *testing.T) {
	q := newQueue(t)
	for range 100 {
		q.insert(message("a", 2), false)
	}
	q.Enlarged()
	for q.Held() > 0 {
		q.Next()
	}
	require.True(t, q.Oversized())
	q.Shrink()
	require.False(t, q.Oversized())
	require.Len(t, q.msgs, leastRoom)
}

// Every sequence of operations hands out what a plain list of messages would.
func TestQueueMatchesAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := newQueue(t)
		var list []string // the parts in the queue
		more := false
		names := rapid.SampledFrom([]string{"a", "b", "c"})
		parts := rapid.IntRange(1, 4)
		take := func(got string) {
			require.Equal(t, list[0], got)
			list = list[1:]
			more = len(list) > 0 && !strings.HasSuffix(list[0], ".0")
		}
		rest := func() int { // parts of the message that was begun
			i := 0
			for more && i < len(list) && !strings.HasSuffix(list[i], ".0") {
				i++
			}
			return i
		}
		texts := func(msgs []libzmq.Msg) (all []string) {
			for i := range msgs {
				all = append(all, string(msgs[i].Bytes()))
			}
			return all
		}
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				msgs := message(names.Draw(t, "name"), parts.Draw(t, "parts"))
				list = append(list, texts(msgs)...)
				q.insert(msgs, false)
			},
			"put back": func(t *rapid.T) {
				msgs := message(names.Draw(t, "name"), parts.Draw(t, "parts"))
				list = slices.Insert(list, rest(), texts(msgs)...)
				q.PutBack(msgs)
			},
			"next": func(*rapid.T) {
				if q.Held() > 0 {
					take(string(q.Next().Bytes()))
				}
			},
			"take": func(t *rapid.T) {
				if q.Held() > 0 {
					var to libzmq.Msg
					q.Take(&to)
					take(string(to.Bytes()))
					to.Close()
				}
			},
			"take the rest": func(*rapid.T) {
				for _, text := range texts(q.TakeRest()) {
					take(text)
				}
				require.False(t, more)
			},
			"filter": func(t *rapid.T) {
				name := names.Draw(t, "dropped")
				q.Filter(func(first []byte) bool { return string(first) == name+".0" })
				kept := slices.Clone(list[:rest()])
				dropping := false
				for _, text := range list[rest():] {
					if strings.HasSuffix(text, ".0") {
						dropping = text == name+".0"
					}
					if !dropping {
						kept = append(kept, text)
					}
				}
				list = kept
			},
			"": func(t *rapid.T) {
				require.Equal(t, list, append(list[:0:0], queued(q)...))
				require.Equal(t, more, q.More())
				require.Equal(t, len(list) > 0 && !more, q.Ready())
			},
		})
	})
}
