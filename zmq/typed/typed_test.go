package typed_test

import (
	"fmt"
	"log"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/leak"
	"github.com/go-zmq/go-zmq/internal/leak/msgleak"
	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/typed"
)

func TestMain(m *testing.M) { leak.Main(m, msgleak.Watch, libzmq.KeepSpares) }

// made returns what a constructor made, and what it says to a setting that fails.
func made[T typed.Endpoint](t *testing.T, c *zmq.Context, open func(*zmq.Context, ...zmq.Setting) (T, error)) typed.Endpoint {
	t.Helper()
	none, err := open(c, zmq.Setting{})
	require.Error(t, err)
	require.True(t, any(none) == nil)
	_, err = open(nil)
	require.ErrorIs(t, err, zmq.ErrClosed)
	s, err := open(c, zmq.Linger.To(0))
	require.NoError(t, err)
	return s
}

func TestConstructors(t *testing.T) {
	t.Parallel()
	c, err := zmq.NewContext()
	require.NoError(t, err)
	defer c.Close()
	for i, s := range []typed.Endpoint{
		made(t, c, typed.NewPair), made(t, c, typed.NewPub), made(t, c, typed.NewSub), made(t, c, typed.NewReq),
		made(t, c, typed.NewRep), made(t, c, typed.NewDealer), made(t, c, typed.NewRouter), made(t, c, typed.NewPull),
		made(t, c, typed.NewPush), made(t, c, typed.NewXPub), made(t, c, typed.NewXSub), made(t, c, typed.NewStream),
	} {
		require.Equal(t, zmq.SocketType(i), s.Type())
		require.NoError(t, s.Close())
	}
}

// What a type of socket cannot do is no method of its type.
func TestTypesLackWhatTheyCannot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ    reflect.Type
		has    []string
		hasNot []string
	}{
		{reflect.TypeFor[typed.Sub](), []string{"Recv", "Subscribe"}, []string{"Send", "SendMultipart", "WaitSubscribers"}},
		{reflect.TypeFor[typed.Pub](), []string{"Send", "WaitSubscribers"}, []string{"Recv", "Messages", "Subscribe"}},
		{reflect.TypeFor[typed.Push](), []string{"Send"}, []string{"Recv", "Ready", "Subscribe"}},
		{reflect.TypeFor[typed.Pull](), []string{"Recv"}, []string{"Send", "SendChan"}},
		{reflect.TypeFor[typed.Router](), []string{"Recv", "Send", "SendMessageTo"}, []string{"Subscribe"}},
		{reflect.TypeFor[typed.Dealer](), []string{"Recv", "Send"}, []string{"SendMessageTo", "Subscribe", "WaitSubscribers"}},
		{reflect.TypeFor[typed.XPub](), []string{"Recv", "Send", "WaitSubscribers"}, []string{"Subscribe"}},
	} {
		for _, name := range c.has {
			_, ok := c.typ.MethodByName(name)
			require.True(t, ok, "%v has no %s", c.typ, name)
		}
		for _, name := range c.hasNot {
			_, ok := c.typ.MethodByName(name)
			require.False(t, ok, "%v has %s", c.typ, name)
		}
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func ExampleNewSub() {
	ctx, err := zmq.NewContext()
	check(err)
	defer ctx.Close()
	pub, err := typed.NewXPub(ctx)
	check(err)
	check(pub.Bind("inproc://weather"))
	sub, err := typed.NewSub(ctx, zmq.Subscribe.To("rain"))
	check(err)
	check(sub.Connect("inproc://weather"))
	_, err = pub.RecvBytes() // the subscription
	check(err)
	check(pub.SendString("rain: 3 mm"))
	// sub.SendString(...) does not compile.
	news, err := sub.RecvString()
	check(err)
	fmt.Println(news)
	// Output: rain: 3 mm
}
