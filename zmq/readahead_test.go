package zmq_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// aheadPair returns a PULL that reads ahead and a PUSH, with messages on their way.
func aheadPair(t testing.TB, endpoint string, ahead int) (pull, push *zmq.Socket) {
	t.Helper()
	pull, push = pair(t, zmq.Pull, zmq.Push, endpoint, zmq.SendHWM.To(0), zmq.RecvHWM.To(0))
	require.NoError(t, pull.Set(zmq.ReadAhead.To(ahead)))
	return pull, push
}

// receiveOne has every way to receive a message; each returns whole messages.
var receiveOne = map[string]func(s *zmq.Socket) ([][][]byte, error){
	"Recv": func(s *zmq.Socket) ([][][]byte, error) {
		return byParts(s, func() ([]byte, error) {
			buf := make([]byte, 1<<20)
			n, err := s.Recv(context.Background(), buf)
			return buf[:n], err
		})
	},
	"RecvBytes": func(s *zmq.Socket) ([][][]byte, error) {
		return byParts(s, func() ([]byte, error) { return s.RecvBytes(context.Background()) })
	},
	"RecvString": func(s *zmq.Socket) ([][][]byte, error) {
		return byParts(s, func() ([]byte, error) { p, err := s.RecvString(context.Background()); return []byte(p), err })
	},
	"RecvMessage": func(s *zmq.Socket) ([][][]byte, error) {
		var m zmq.Message
		defer m.Close()
		return byParts(s, func() ([]byte, error) {
			err := s.RecvMessage(context.Background(), &m)
			return bytes.Clone(m.Bytes()), err
		})
	},
	"RecvMultipart": func(s *zmq.Socket) ([][][]byte, error) {
		parts, err := s.RecvMultipart(context.Background())
		return [][][]byte{parts}, err
	},
	"RecvMultipartMessage": func(s *zmq.Socket) ([][][]byte, error) {
		var views zmq.Multipart
		err := s.RecvMultipartMessage(context.Background(), &views)
		defer views.Close()
		return [][][]byte{views.Bytes()}, err
	},
	"RecvBatch": func(s *zmq.Socket) (messages [][][]byte, err error) {
		b := zmq.NewBatch(1 + rand.IntN(3))
		defer b.Close()
		_, err = s.RecvBatch(context.Background(), b)
		for _, message := range b.All() {
			messages = append(messages, message.Bytes())
		}
		return messages, err
	},
	"Messages": func(s *zmq.Socket) ([][][]byte, error) {
		for message, err := range s.Messages(context.Background()) {
			return [][][]byte{message.Bytes()}, err
		}
		return nil, nil
	},
}

func byParts(s *zmq.Socket, next func() ([]byte, error)) ([][][]byte, error) {
	var parts [][]byte
	for {
		p, err := next()
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
		if !s.RecvMore() {
			return [][][]byte{parts}, nil
		}
	}
}

func TestReadAheadRefused(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	for _, typ := range []zmq.SocketType{zmq.Req, zmq.Rep, zmq.XPub, zmq.Pub, zmq.Push} {
		_, err := zctx.NewSocket(typ, zmq.ReadAhead.To(10))
		requireFails(t, err, zmq.ErrNotSupported, typ.String())
		s := newSocket(t, zctx, typ)
		require.ErrorIs(t, s.Set(zmq.ReadAhead.To(0)), zmq.ErrNotSupported)
		require.NoError(t, s.Close())
	}
	for _, typ := range []zmq.SocketType{zmq.Pair, zmq.Sub, zmq.Dealer, zmq.Router, zmq.Pull, zmq.XSub, zmq.Stream} {
		s := newSocket(t, zctx, typ, zmq.ReadAhead.To(65535))
		require.Equal(t, 65535, zmqtest.Get(t, zmq.ReadAhead, s))
		for _, bad := range []int{-2, 65536, 1 << 40} {
			require.ErrorContains(t, s.Set(zmq.ReadAhead.To(bad)), "out of range")
		}
		require.NoError(t, s.Close())
	}
	both := []zmq.Setting{zmq.ReadAhead.To(2), zmq.Conflate.To(true)}
	for range 2 {
		_, err := zctx.NewSocket(zmq.Pull, both...)
		requireFails(t, err, zmq.ErrNotSupported, "use one of the two")
		both[0], both[1] = both[1], both[0]
	}
	s := newSocket(t, zctx, zmq.Pull, zmq.ReadAhead.To(2), zmq.ReadAhead.To(0), zmq.Conflate.To(true), zmq.Conflate.To(false), zmq.ReadAhead.To(2))
	require.NoError(t, s.Close())
}

// A receive of a message that is held, and a batch: how often they cross into C.
func TestCrossings(t *testing.T) {
	pull, push := aheadPair(t, inprocName(), 64)
	crossings := func(op func()) int64 {
		before := runtime.NumCgoCall()
		op()
		return runtime.NumCgoCall() - before
	}
	buf := make([]byte, 100)
	recv := func() {
		require.NoError(t, errOf(pull.Recv(context.Background(), buf)))
	}
	out, in := newBatch(t, 64), newBatch(t, 64)
	for round := range 3 {
		for range 64 {
			require.NoError(t, out.Append(payload(64)))
		}
		require.EqualValues(t, 1, crossings(func() {
			require.NoError(t, errOf(push.SendBatch(context.Background(), out)))
		}), "SendBatch of 64")
		if round == 1 {
			require.NoError(t, pull.Set(zmq.ReadAhead.To(0)))
			require.EqualValues(t, 1, crossings(func() {
				require.Equal(t, 64, noErr(pull.RecvBatch(context.Background(), in))(t))
			}), "RecvBatch of 64")
			require.NoError(t, pull.Set(zmq.ReadAhead.To(64)))
			continue
		}
		recv()
		require.Zero(t, crossings(func() {
			for range 63 {
				recv()
			}
		}), "Recv of what is held")
		require.ErrorIs(t, errOf(pull.Recv(context.Background(), buf, zmq.DontWait)), zmq.ErrAgain)
	}
}
