package libzmq

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
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
func nativeMsgs(t *testing.T, parts [][]byte) []Msg {
	msgs := make([]Msg, len(parts))
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
	require.NoError(f, Load())
	f.Add(flatten(report(1, 9, "tcp://127.0.0.1:5555")))
	f.Add(flatten(report(0xffff, -1, "")))
	f.Add(flatten(append(report(1, 9, "lost")[:1], report(2, 8, "whole")...)))
	f.Add([]byte{})
	f.Add([]byte{0, 0, 0})
	f.Add([]byte{8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 9, 0, 0})
	f.Fuzz(func(t *testing.T, flat []byte) {
		parts := unflatten(flat)
		msgs := nativeMsgs(t, parts)
		defer CloseMsgs(msgs)
		e, ok := ParseMonitorEvent(msgs)
		if !ok {
			require.False(t, len(parts) == 2 && len(parts[0]) == 6)
			return
		}
		require.Equal(t, flatten(parts[len(parts)-2:]), flatten(report(uint16(e.Event), e.Value, e.Endpoint)))
		require.LessOrEqual(t, e.Event, uint64(0xffff))
	})
}
