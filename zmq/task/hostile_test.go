package task_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/task"
)

// Messages that are not of the protocol are counted and change nothing.
func TestMalformedMessages(t *testing.T) {
	t.Parallel()
	b := newBed(t, task.QueueConfig{Lease: time.Hour})
	r := b.raw()
	r.ready(1)
	b.push(1)
	receipt, _, _ := r.task()
	bad := [][]string{
		{""},
		{"", ""},
		{"R"},
		{"R123"},
		{"R12345"},
		{"A"},
		{"A" + receipt[1:]},
		{"A" + receipt + "x"},
		{"N"},
		{"N", "why"},
		{"N" + receipt[:11], "why"},
		{"E"},
		{"E" + u32(9)},
		{"E" + receipt},
		{"G"},
		{"Bye"},
		{"T" + receipt + "12345678", "payload"},
		{"H" + receipt},
		{"a" + receipt},
		{"\x00" + receipt},
		{"\xff" + receipt},
		{receipt},
		{"A" + strings.Repeat(receipt, 65536)},
	}
	for _, m := range bad {
		r.say(m...)
	}
	b.await("all messages", func(s task.QueueStats) bool { return s.Malformed == uint64(len(bad)) })
	require.Equal(t, 1, b.Stats().UnderWay)
	require.Equal(t, 1, b.Stats().Workers)
	r.say("A" + receipt)
	require.NoError(t, b.Drain(within(t)))
	require.Zero(t, b.Stats().Late)
}

// A worker can neither end, extend nor give back a task that it was not given, whatever it
// claims.
func TestReceiptsCannotBeForged(t *testing.T) {
	t.Parallel()
	b := newBed(t, task.QueueConfig{Lease: time.Hour, MaxAttempts: 1, Dead: func([]byte, int, error) { t.Error("dead") }})
	honest, hostile := b.raw(), b.raw()
	b.push(1, 2)
	honest.ready(1)
	receipt, _, _ := honest.task()
	hostile.ready(0)
	forged := uint64(0)
	for range 200 {
		var r [12]byte
		switch copy(r[:], receipt); rand.IntN(3) {
		case 0:
			r[rand.IntN(8)] ^= 1 << rand.IntN(8) // a neighbour
		case 1:
			binary.BigEndian.PutUint64(r[:], rand.Uint64())
		case 2:
			clear(r[:8])
		}
		for _, command := range []string{"A", "N", "G", "E" + u32(1)} {
			hostile.say(command + string(r[:]))
			forged++
		}
	}
	// Those of a delivery that is over, or that will be.
	for _, delivery := range []uint32{0, 2, 1 << 31} {
		for _, command := range []string{"N", "G", "E" + u32(1)} {
			honest.say(command + receipt[:8] + u32(delivery))
			forged++
		}
	}
	b.await("the forged ones", func(s task.QueueStats) bool { return s.Late == forged })
	s := b.Stats()
	require.Equal(t, 1, s.UnderWay)
	require.Equal(t, 1, s.Pending)
	require.Zero(t, s.Acknowledged+s.Redelivered)
}

// A receipt that stands twice in a message counts once.
func TestDoubledReceipts(t *testing.T) {
	t.Parallel()
	b := newBed(t, task.QueueConfig{Lease: time.Hour, MaxPending: 2})
	r := b.raw()
	r.ready(1)
	b.push(1)
	for attempt, command := range []string{"N", "G", "E" + u32(1), "A"} {
		receipt, got, p := r.task()
		require.Equal(t, 1, number(p))
		require.Equal(t, min(attempt, 1)+1, got)
		r.say(command + receipt + receipt)
		if command[0] == 'E' {
			r.say("A" + receipt + receipt)
			break
		}
		r.say("N" + receipt)
	}
	b.await("all", func(s task.QueueStats) bool { return s.Late == 3 })
	require.EqualValues(t, 1, b.Stats().Acknowledged)
	require.Zero(t, b.Stats().Pending+b.Stats().UnderWay)
	r.quiet()
	b.push(2, 3)
}

// A worker that announces itself again and again, or wants absurdly much, gets its window and
// not more, and answers do not pile up.
func TestFloodOfAnnouncements(t *testing.T) {
	t.Parallel()
	b := newBed(t, task.QueueConfig{MaxPending: 100, Lease: time.Hour})
	r := b.raw(zmq.RecvHWM.To(10))
	for range 20_000 {
		r.ready(1<<32 - 1)
	}
	r.ready(3)
	r.say("that is all")
	honest := b.raw()
	honest.ready(10)
	b.await("both", func(s task.QueueStats) bool { return s.Workers == 2 && s.Malformed == 1 })
	for i := range 20 {
		b.push(i)
	}
	for range 3 {
		r.task() // behind the answers
	}
	for range 10 {
		honest.task()
	}
	require.Equal(t, 13, b.Stats().UnderWay)
	require.Equal(t, 7, b.Stats().Pending)
}

// A worker that reads nothing fills its own queue in libzmq, which holds up no other worker
// and loses no task.
func TestWorkerThatDoesNotRead(t *testing.T) {
	t.Parallel()
	b := newBed(t, task.QueueConfig{Lease: 200 * time.Millisecond, MaxPending: 10}, zmq.SendHWM.To(2))
	deaf := b.raw(zmq.RecvHWM.To(1), zmq.RecvBuffer.To(4096))
	deaf.ready(60_000)
	b.await("the deaf one", func(s task.QueueStats) bool { return s.Workers == 1 })
	w := b.worker(task.WorkerConfig{Prefetch: 2})
	const n = 300
	big := bytes.Repeat([]byte{1}, 100_000)
	pushed := make(chan error, 1)
	go func() {
		for i := range n {
			if err := b.Push(within(t), append(payload(i), big...)); err != nil {
				pushed <- err
				return
			}
		}
		pushed <- b.Drain(within(t))
	}()
	seen := map[int]bool{}
	for got, err := range w.Tasks(within(t)) {
		require.NoError(t, err)
		require.Len(t, got.Payload, 8+len(big))
		require.NoError(t, got.Ack())
		if seen[number(got.Payload[:8])] = true; len(seen) == n {
			break
		}
	}
	require.NoError(t, <-pushed)
	require.EqualValues(t, n, b.Stats().Acknowledged)
	require.NoError(t, b.Close())
}

// A worker that asks for work and vanishes without goodbye, thousands of times, leaves nothing
// behind in the queue.
func TestWorkersThatComeAndGo(t *testing.T) {
	t.Parallel()
	b := newBed(t, task.QueueConfig{MaxPending: 10, Lease: 100 * time.Millisecond})
	for range scaled(300) {
		r := b.raw()
		r.ready(5)
		r.await()
		require.NoError(t, r.Close())
	}
	b.await("the end of all", func(s task.QueueStats) bool { return s.Workers == 0 })
	require.Zero(t, b.Ready())
	w := b.worker(task.WorkerConfig{Prefetch: 5})
	for i := range 10 {
		b.push(i)
	}
	seen := map[int]bool{}
	for got, err := range w.Tasks(within(t)) {
		require.NoError(t, err)
		require.NoError(t, got.Ack())
		if seen[number(got.Payload)] = true; len(seen) == 10 {
			break
		}
	}
	require.NoError(t, b.Drain(within(t)))
}

// The queue survives arbitrary messages of arbitrary peers, and keeps its promise to the
// others.
func FuzzQueue(f *testing.F) {
	f.Add([]byte("R\x00\x00\x00\x05"), []byte{}, false)
	f.Add([]byte("Axxxxxxxxxxxx"), []byte{}, false)
	f.Add([]byte("Nxxxxxxxxxxxx"), []byte("why"), true)
	f.Add([]byte("E\x00\x00\x00\x01xxxxxxxxxxxx"), []byte{}, false)
	f.Add([]byte("B"), []byte{}, false)
	b := newBed(f, task.QueueConfig{Lease: 100 * time.Millisecond}) // the hostile one may get some
	hostile, honest := b.raw(), b.raw()
	honest.ready(1)
	n := 0
	f.Fuzz(func(t *testing.T, head, body []byte, two bool) {
		m := [][]byte{head}
		if two {
			m = append(m, body)
		}
		hostile, honest := raw{hostile.Socket, t}, raw{honest.Socket, t}
		require.NoError(t, hostile.SendMultipart(t.Context(), m))
		hostile.ready(0)
		n++
		require.NoError(t, b.Push(t.Context(), payload(n)))
		for done := false; !done; {
			receipt, _, p := honest.task()
			honest.say("A" + receipt)
			done = number(p) == n
		}
	})
}
