package zmq_test

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"reflect"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// A nil context.Context is refused with EINVAL before anything is sent, received or
// released. Reflection finds the methods, so that a new one is tested as well.
func TestNilContextOfEveryCall(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	dealer := newSocket(t, zctx, zmq.Dealer)
	batch := newBatch(t, 2)
	require.NoError(t, batch.Append([]byte("kept")))
	message := newMessage(t, "kept")
	defer message.Close()
	parts := zmq.Multipart{{}}
	require.NoError(t, parts[0].Alloc(4))
	defer parts.Close()
	var decoded any
	arguments := map[reflect.Type]any{
		reflect.TypeFor[[]byte]():         []byte("bytes"),
		reflect.TypeFor[string]():         "text",
		reflect.TypeFor[[][]byte]():       [][]byte{[]byte("bytes")},
		reflect.TypeFor[*zmq.Message]():   message,
		reflect.TypeFor[zmq.Multipart]():  parts,
		reflect.TypeFor[*zmq.Multipart](): &parts,
		reflect.TypeFor[*zmq.Batch]():     batch,
		reflect.TypeFor[any]():            &decoded,
		reflect.TypeFor[int]():            1,
		reflect.TypeFor[uint32]():         uint32(1),
		reflect.TypeFor[netip.AddrPort](): netip.MustParseAddrPort("127.0.0.1:5555"),
	}
	value := reflect.ValueOf(dealer)
	tested := 0
	for i := range value.NumMethod() {
		name, method := value.Type().Method(i).Name, value.Method(i)
		typ := method.Type()
		if typ.NumIn() == 0 || typ.In(0) != reflect.TypeFor[context.Context]() || typ.Out(typ.NumOut()-1) != reflect.TypeFor[error]() {
			continue
		}
		in := []reflect.Value{reflect.Zero(typ.In(0))}
		for j := 1; j < typ.NumIn(); j++ {
			if typ.IsVariadic() && j == typ.NumIn()-1 {
				break
			}
			argument, ok := arguments[typ.In(j)]
			require.True(t, ok, "%s: an argument of type %v", name, typ.In(j))
			in = append(in, reflect.ValueOf(argument))
		}
		out := method.Call(in)
		requireNilContext(t, out[len(out)-1].Interface().(error), name)
		tested++
	}
	require.GreaterOrEqual(t, tested, 25)
	require.Equal(t, 1, batch.Len())
	require.Equal(t, "kept", string(message.Bytes()))
	require.Equal(t, 4, parts[0].Len())
	require.Zero(t, dealer.Stats().Waiting)

	for _, err := range dealer.Messages(nil) { //nolint:staticcheck // it is the subject
		requireNilContext(t, err, "Messages")
	}
	_, err := zmq.NewReadWriter(nil, dealer).Write([]byte("x")) //nolint:staticcheck
	requireNilContext(t, err, "ReadWriter.Write")
	_, err = zmq.NewReadWriter(nil, dealer).Read(make([]byte, 1)) //nolint:staticcheck
	requireNilContext(t, err, "ReadWriter.Read")
	received := dealer.RecvChan(nil) //nolint:staticcheck
	_, open := <-received.C
	require.False(t, open)
	requireNilContext(t, received.Err(), "RecvChan")
	received.Stop()
	sent := dealer.SendChan(nil) //nolint:staticcheck
	<-sent.Done()
	requireNilContext(t, sent.Err(), "SendChan")
	require.Nil(t, sent.Stop())

	monitor := noErr(dealer.Monitor(zmq.EventAll))(t)
	defer monitor.Close()
	_, err = monitor.Next(nil) //nolint:staticcheck
	requireNilContext(t, err, "Monitor.Next")
	requireNilContext(t, monitor.Log(nil, slog.Default()), "Monitor.Log") //nolint:staticcheck
	requireNilContext(t, zmq.Proxy(nil, dealer, newSocket(t, zctx, zmq.Dealer), nil), "Proxy")
	requireNilContext(t, zctx.CloseContext(nil), "CloseContext")
	require.NoError(t, errOf(zctx.NewSocket(zmq.Pair)), "nothing was closed")
}

func requireNilContext(t *testing.T, err error, name string) {
	t.Helper()
	var e *zmq.Error
	require.True(t, errors.As(err, &e), "%s: %v", name, err)
	require.Equal(t, syscall.EINVAL, e.Errno, "%s: %v", name, err)
	require.Contains(t, e.Detail, "context.Background()", name)
}
