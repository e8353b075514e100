package zmq_test

import (
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// A connection that a STREAM closes by an empty part is not counted any more, though
// libzmq does not report its end.
func TestWaitConnectedStreamCloses(t *testing.T) {
	t.Parallel()
	closers := map[string]func(s *zmq.Socket, id []byte) error{
		"SendMultipart": func(s *zmq.Socket, id []byte) error { return s.SendMultipart(context.Background(), [][]byte{id, {}}) },
		"SendMore": func(s *zmq.Socket, id []byte) error {
			if err := s.Send(context.Background(), id, zmq.SendMore); err != nil {
				return err
			}
			return s.Send(context.Background(), nil)
		},
		"SendMultipartMessage": func(s *zmq.Socket, id []byte) error {
			m := make(zmq.Multipart, 2)
			defer m.Close()
			if err := errors.Join(m[0].Alloc(len(id)), m[1].Alloc(0)); err != nil {
				return err
			}
			copy(m[0].Bytes(), id)
			return s.SendMultipartMessage(context.Background(), m)
		},
	}
	for name, slots := range map[string]bool{"SendBatch": false, "SendBatch with slots": true} {
		closers[name] = func(s *zmq.Socket, id []byte) error {
			b := zmq.NewBatch(3)
			defer b.Close()
			if err := errors.Join(b.Append(id, []byte("bye")), b.Append(id, nil)); err != nil {
				return err
			}
			if slots {
				b.At(0)
			}
			_, err := s.SendBatch(context.Background(), b)
			return err
		}
	}
	closers["Proxy"] = func(s *zmq.Socket, id []byte) error {
		pull, push := newSocket(t, s.Context(), zmq.Pull), newSocket(t, s.Context(), zmq.Push)
		connect(t, pull, push, inprocName())
		if err := push.SendMultipart(context.Background(), [][]byte{id, nil}); err != nil {
			return err
		}
		p, err := zmq.NewSteerableProxy(pull, s, nil)
		if err != nil {
			return err
		}
		ran := make(chan error, 1)
		go func() { ran <- p.Run(context.Background()) }()
		for end := time.Now().Add(patience); time.Now().Before(end); runtime.Gosched() {
			if st, err := p.Statistics(); err != nil || st.Backend.MessagesSent > 0 {
				break
			}
		}
		return errors.Join(p.Terminate(), <-ran, pull.Close(), push.Close())
	}
	for name, end := range closers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSocket(t, newContext(t), zmq.Stream)
			require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
			address := strings.TrimPrefix(last(t, s), "tcp://")
			dial := func() (net.Conn, []byte) {
				t.Helper()
				conn, err := net.Dial("tcp", address)
				require.NoError(t, err)
				parts, err := s.RecvMultipart(soon(t))
				require.NoError(t, err)
				require.Empty(t, parts[1], "the connection")
				return conn, parts[0]
			}
			stays, _ := dial()
			defer stays.Close()
			require.NoError(t, s.WaitConnected(soon(t), 1))
			for range 20 {
				conn, id := dial()
				require.NoError(t, s.WaitConnected(soon(t), 2))
				require.NoError(t, end(s, id))
				require.Equal(t, 1, s.Stats().Connections)
				never(t, s, 2)
				var err error
				for end := time.Now().Add(patience); !errors.Is(err, io.EOF); {
					require.True(t, time.Now().Before(end), "it is not closed: %v", err)
					require.NoError(t, s.WaitConnected(soon(t), 1)) // libzmq works on it in the socket's calls
					require.NoError(t, conn.SetReadDeadline(time.Now().Add(time.Millisecond)))
					_, err = conn.Read(make([]byte, 1))
				}
				require.NoError(t, conn.Close())
				require.Equal(t, 1, s.Stats().Connections)
			}
			require.NoError(t, stays.Close())
			gone(t, s)
		})
	}
}
