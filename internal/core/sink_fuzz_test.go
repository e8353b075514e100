package core

import (
	"encoding/binary"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// report makes the parts of a report like libzmq.
func report(event uint16, value int32, endpoint string) [][]byte {
	first := binary.NativeEndian.AppendUint16(nil, event)
	return [][]byte{binary.NativeEndian.AppendUint32(first, uint32(value)), []byte(endpoint)}
}

// A list of parts as bytes: before each its length in one byte.
func flatten(parts [][]byte) (flat []byte) {
	for _, p := range parts {
		flat = append(append(flat, byte(len(p))), p...)
	}
	return flat
}

func unflatten(flat []byte) (parts [][]byte) {
	for len(flat) > 0 {
		n := min(int(flat[0]), len(flat)-1)
		parts = append(parts, flat[1:1+n])
		flat = flat[1+n:]
	}
	return parts
}

// nativeMsgs copies parts as libzmq hands them over.
func nativeMsgs(t *testing.T, parts [][]byte) []libzmq.Msg {
	msgs := make([]libzmq.Msg, len(parts))
	for i, p := range parts {
		require.Zero(t, msgs[i].Alloc(len(p)))
		copy(msgs[i].Bytes(), p)
		msgs[i].SetMore(i < len(parts)-1)
	}
	return msgs
}

// FuzzMonitorReport decodes the parts of a monitor's report, complete or not. The decoded event
// has the values of the report, and encoding it gives the same report.
func FuzzMonitorReport(f *testing.F) {
	require.NoError(f, libzmq.Load())
	f.Add(flatten(report(1, 9, "tcp://127.0.0.1:5555")))
	f.Add(flatten(report(0xffff, -1, "")))
	f.Add(flatten(append(report(1, 9, "lost")[:1], report(2, 8, "whole")...)))
	f.Add([]byte{})
	f.Add([]byte{0, 0, 0})
	f.Add([]byte{8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 9, 0, 0})
	f.Fuzz(func(t *testing.T, flat []byte) {
		parts := unflatten(flat)
		msgs := nativeMsgs(t, parts)
		defer libzmq.CloseMsgs(msgs)
		e, ok := parseEvent(msgs)
		if !ok {
			require.False(t, len(parts) == 2 && len(parts[0]) == 6)
			return
		}
		require.Equal(t, flatten(parts[len(parts)-2:]), flatten(report(uint16(e.Event), e.Value, e.Endpoint)))
		require.LessOrEqual(t, e.Event, uint64(0xffff))
	})
}

// FuzzMonitorHistory gives the count of connections any reports in any order: it does
// not fail, never counts fewer than none, and forgets all when the endpoints go.
func FuzzMonitorHistory(f *testing.F) {
	seed := func(events ...byte) []byte { return events }
	// Of each event: its bit, the descriptor, the endpoint.
	f.Add(seed(3, 9, 0, 5, 10, 0, 12, 10, 0, 9, 10, 0))
	f.Add(seed(12, 10, 0, 3, 9, 0, 5, 10, 0, 9, 10, 0, 9, 10, 0))
	f.Add(seed(0, 7, 1, 12, 7, 1, 9, 7, 1, 0, 7, 1, 12, 7, 1))
	f.Add(seed(5, 7, 1, 13, 7, 1, 9, 7, 1, 5, 7, 2, 12, 7, 2))
	f.Add(seed(12, 1, 3, 12, 1, 3, 12, 1, 3, 9, 1, 3))
	f.Fuzz(func(t *testing.T, history []byte) {
		endpoints := []string{"tcp://127.0.0.1:1", "tcp://0.0.0.0:2", "ipc:///x", "ws://127.0.0.1:3/", ""}
		var l links
		tr := &track{links: &l, open: map[int32]string{}}
		m := newMonitor(tr, ^uint64(0))
		tr.monitors = append(tr.monitors, m)
		given := 0
		for ; len(history) >= 3; history = history[3:] {
			e := MonitorEvent{Event: 1 << (history[0] % 16), Value: int32(int8(history[1]))}
			e.Endpoint = endpoints[int(history[2])%len(endpoints)]
			tr.handOut(&e)
			given++
			peers, _, _ := l.look()
			require.GreaterOrEqual(t, peers, 0)
			require.LessOrEqual(t, peers, given)
		}
		require.Equal(t, given, len(m.queue)+int(m.Dropped()), "each event comes once")
		for _, at := range slices.Collect(maps.Keys(l.at)) {
			l.detach(at)
		}
		peers, _, _ := l.look()
		require.Zero(t, peers)
		require.Empty(t, l.fds)
	})
}
