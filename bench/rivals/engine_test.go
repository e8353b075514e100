package rivals

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/bench/workload"
)

// A channelSocket is a socket of no rival, on Go channels. It changes the messages that it
// sends.
type channelSocket struct {
	from, to chan []byte
	stopped  context.Context
	harm     func(n int, p []byte) [][]byte
	sent     int
}

var errStopped = errors.New("stopped")

func (s *channelSocket) send(_, p []byte) error {
	for _, p := range s.harm(s.sent, bytes.Clone(p)) {
		select {
		case s.to <- p:
		case <-s.stopped.Done():
			return errStopped
		}
	}
	s.sent++
	return nil
}

func (s *channelSocket) recv() (from, payload []byte, err error) {
	select {
	case p := <-s.from:
		return nil, p, nil
	case <-s.stopped.Done():
		return nil, nil, errStopped
	}
}

func (*channelSocket) close() error { return nil }

// A run fails if a message is changed, lost or repeated, also near the end of the run.
// Otherwise it succeeds. The greeting is message 0.
func TestHarmIsNoticed(t *testing.T) {
	const messages, early, late = 999, 100, 995
	unharmed := func(_ int, p []byte) [][]byte { return [][]byte{p} }
	to := func(victim int, do func(p []byte) [][]byte) func(int, []byte) [][]byte {
		return func(n int, p []byte) [][]byte {
			if n == victim {
				return do(p)
			}
			return [][]byte{p}
		}
	}
	double := func(p []byte) [][]byte { return [][]byte{p, p} }
	harms := map[string]func(int, []byte) [][]byte{
		"unharmed":     unharmed,
		"doubled":      to(early, double),
		"doubled late": to(late, double),
		"cut":          to(early, func(p []byte) [][]byte { return [][]byte{p[:len(p)-1]} }),
		"longer":       to(late, func(p []byte) [][]byte { return [][]byte{append(p, 0)} }),
		"corrupted": func(n int, p []byte) [][]byte {
			if n >= early && n < early+64 {
				p[2] ^= 1
			}
			return [][]byte{p}
		},
	}
	lost := to(early, func([]byte) [][]byte { return nil })
	for _, pattern := range []workload.Pattern{workload.PushPull, workload.DealerRouter} {
		for name, harm := range harms {
			t.Run(string(pattern)+"/"+name, func(t *testing.T) { runHarmed(t, pattern, messages, harm, name == "unharmed") })
		}
		t.Run(string(pattern)+"/lost", func(t *testing.T) { runHarmed(t, pattern, messages, lost, false) })
	}
}

func runHarmed(t *testing.T, pattern workload.Pattern, messages int, harm func(int, []byte) [][]byte, good bool) {
	t.Helper()
	unharmed := func(_ int, p []byte) [][]byte { return [][]byte{p} }
	stopped, stop := context.WithCancel(t.Context())
	defer stop()
	there, back := make(chan []byte, 2*messages), make(chan []byte, 2*messages)
	spec := workload.Spec{
		Pattern: pattern, Transport: workload.InProc, Mode: workload.Blocking, Size: 64, Messages: messages, Window: 200,
	}
	w, err := workload.OpenEngine(t.Context(), spec, func(spec workload.Spec, _ string) (workload.Engine, error) {
		return newEngine(spec, sockets{
			near: &channelSocket{from: back, to: there, stopped: stopped, harm: harm},
			far:  &channelSocket{from: there, to: back, stopped: stopped, harm: unharmed},
			stop: stop, close: func() error { return nil },
		}), nil
	})
	require.NoError(t, err)
	_, err = w.Run()
	if good {
		require.NoError(t, err)
	} else {
		require.ErrorIs(t, err, workload.ErrIntegrity)
	}
	require.NoError(t, w.Close())
}
