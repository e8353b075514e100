package core

import (
	"encoding/binary"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// reportV1 and reportV2 make the parts of a report as libzmq's two versions have it.
func reportV1(event uint16, value int32, endpoint string) [][]byte {
	first := binary.NativeEndian.AppendUint16(nil, event)
	return [][]byte{binary.NativeEndian.AppendUint32(first, uint32(value)), []byte(endpoint)}
}

func reportV2(event uint64, local, remote string, values ...uint64) [][]byte {
	parts := [][]byte{binary.NativeEndian.AppendUint64(nil, event), binary.NativeEndian.AppendUint64(nil, uint64(len(values)))}
	for _, v := range values {
		parts = append(parts, binary.NativeEndian.AppendUint64(nil, v))
	}
	return append(parts, []byte(local), []byte(remote))
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

// FuzzMonitorReport decodes the parts of a monitor's report, of either version, whole or
// not. What is decoded is what was there, and encoded again gives the same.
func FuzzMonitorReport(f *testing.F) {
	require.NoError(f, libzmq.Load())
	f.Add(flatten(reportV1(1, 9, "tcp://127.0.0.1:5555")))
	f.Add(flatten(reportV1(0xffff, -1, "")))
	f.Add(flatten(reportV2(32, "tcp://127.0.0.1:5555", "tcp://127.0.0.1:40000", 9)))
	f.Add(flatten(reportV2(1<<16, "a", "b", 3, 4)))
	f.Add(flatten(reportV2(1024, "", "")))
	f.Add(flatten(append(reportV1(1, 9, "lost")[:1], reportV1(2, 8, "whole")...)))
	f.Add(flatten(append(reportV1(1, 9, "lost")[:1], reportV2(2, "a", "b", 1)...)))
	f.Add([]byte{})
	f.Add([]byte{0, 0, 0})
	f.Add([]byte{8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 9, 0, 0})
	f.Fuzz(func(t *testing.T, flat []byte) {
		parts := unflatten(flat)
		if len(parts) == 0 {
			return // dispatch asks for two
		}
		msgs := nativeMsgs(t, parts)
		defer libzmq.CloseMsgs(msgs)
		e, ok := parseEvent(msgs)
		if !ok {
			require.False(t, len(parts) == 2 && len(parts[0]) == 6)
			return
		}
		if e.Values == nil {
			require.Equal(t, flatten(parts[len(parts)-2:]), flatten(reportV1(uint16(e.Event), e.Value, e.Endpoint)))
			require.LessOrEqual(t, e.Event, uint64(0xffff))
			return
		}
		again := reportV2(e.Event, e.Local, e.Remote, e.Values...)
		again[1] = parts[1] // the number of values, which their parts say better
		require.Equal(t, flatten(parts), flatten(again))
	})
}

// FuzzMonitorHistory gives the count of connections any reports in any order: it does
// not fail, never counts fewer than none, and forgets all when the endpoints go.
func FuzzMonitorHistory(f *testing.F) {
	seed := func(events ...byte) []byte { return events }
	// Of each event: its bit, the descriptor, the endpoint.
	f.Add(true, seed(3, 9, 0, 5, 10, 0, 12, 10, 0, 9, 10, 0))
	f.Add(true, seed(12, 10, 0, 3, 9, 0, 5, 10, 0, 9, 10, 0, 9, 10, 0))
	f.Add(false, seed(0, 7, 1, 12, 7, 1, 9, 7, 1, 0, 7, 1, 12, 7, 1))
	f.Add(false, seed(5, 7, 1, 13, 7, 1, 9, 7, 1, 5, 7, 2, 12, 7, 2))
	f.Add(true, seed(12, 1, 3, 12, 1, 3, 12, 1, 3, 9, 1, 3))
	f.Fuzz(func(t *testing.T, versioned bool, history []byte) {
		endpoints := []string{"tcp://127.0.0.1:1", "tcp://0.0.0.0:2", "ipc:///x", "ws://127.0.0.1:3/", ""}
		var l links
		tr := &track{links: &l, monitors: []*Monitor{{mask: ^uint64(0)}}}
		given := 0
		for ; len(history) >= 3; history = history[3:] {
			e := MonitorEvent{Event: 1 << (history[0] % 17), Value: int32(int8(history[1]))}
			endpoint := endpoints[int(history[2])%len(endpoints)]
			if versioned {
				e.Values, e.Local = []uint64{uint64(e.Value)}, endpoint
				if history[2]&0x80 != 0 {
					e.Remote = endpoints[int(history[2]>>3)%len(endpoints)]
				}
			} else {
				e.Endpoint = endpoint
			}
			tr.handOut(&e)
			given++
			peers, _, _ := l.look()
			require.GreaterOrEqual(t, peers, 0)
			require.LessOrEqual(t, peers, given)
		}
		m := tr.monitors[0]
		waiting := 0
		for _, list := range tr.sides.waiting {
			waiting += len(list)
		}
		require.Equal(t, given, len(m.queue)+waiting+int(m.dropped), "each event comes once")
		for _, at := range slices.Collect(maps.Keys(l.at)) {
			l.detach(at)
		}
		peers, _, _ := l.look()
		require.Zero(t, peers)
		require.Empty(t, l.fds)
	})
}
