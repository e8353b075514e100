package typed_test

import (
	"context"
	"net"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/typed"
)

// drafted is made for a draft type, or asserts that libzmq lacks it.
func drafted[T interface{ Close() error }](t *testing.T, c *zmq.Context, typ zmq.SocketType, open func(*zmq.Context, ...zmq.Setting) (T, error)) T {
	t.Helper()
	none, err := open(c, zmq.Setting{})
	require.Error(t, err)
	require.True(t, any(none) == nil)
	_, err = open(nil)
	require.ErrorIs(t, err, zmq.ErrClosed)
	s, err := open(c, zmq.Linger.To(0))
	if !zmq.Has("draft") {
		require.ErrorIs(t, err, zmq.ErrNotSupported)
		require.ErrorContains(t, err, typ.String())
		require.True(t, any(s) == nil)
		return s
	}
	require.NoError(t, err)
	require.Equal(t, typ, any(s).(*zmq.Socket).Type())
	return s
}

// bindTo binds a socket, and connects another to it.
func bindTo(t *testing.T, b, d typed.Endpoint) {
	t.Helper()
	require.NoError(t, b.Bind("tcp://127.0.0.1:*"))
	endpoint, err := b.LastEndpoint()
	require.NoError(t, err)
	require.NoError(t, d.Connect(endpoint))
}

// Each of the draft types does what it is for, or is refused by name.
func TestDraftTypes(t *testing.T) {
	t.Parallel()
	c, err := zmq.NewContext()
	require.NoError(t, err)
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()

	server, client := drafted(t, c, zmq.Server, typed.NewServer), drafted(t, c, zmq.Client, typed.NewClient)
	peer, other := drafted(t, c, zmq.Peer, typed.NewPeer), drafted(t, c, zmq.Peer, typed.NewPeer)
	left, right := drafted(t, c, zmq.Channel, typed.NewChannel), drafted(t, c, zmq.Channel, typed.NewChannel)
	scatter, gather := drafted(t, c, zmq.Scatter, typed.NewScatter), drafted(t, c, zmq.Gather, typed.NewGather)
	radio, dish := drafted(t, c, zmq.Radio, typed.NewRadio), drafted(t, c, zmq.Dish, typed.NewDish)
	dgram := drafted(t, c, zmq.Dgram, typed.NewDgram)
	if !zmq.Has("draft") {
		return
	}
	buf := make([]byte, 20)

	bindTo(t, server, client)
	require.NoError(t, client.SendStringContext(ctx, "request"))
	n, id, err := server.RecvFromContext(ctx, buf)
	require.NoError(t, err)
	require.Equal(t, "request", string(buf[:n]))
	require.NoError(t, server.SendToContext(ctx, id, []byte("reply")))
	got, err := client.RecvStringContext(ctx)
	require.NoError(t, err)
	require.Equal(t, "reply", got)

	require.NoError(t, peer.Bind("tcp://127.0.0.1:*"))
	endpoint, err := peer.LastEndpoint()
	require.NoError(t, err)
	id, err = other.ConnectPeer(endpoint)
	require.NoError(t, err)
	require.NoError(t, other.SendToContext(ctx, id, []byte("hello")))
	n, _, err = peer.RecvFromContext(ctx, buf)
	require.NoError(t, err)
	require.Equal(t, "hello", string(buf[:n]))
	require.NoError(t, other.DisconnectPeer(id))

	bindTo(t, left, right)
	require.NoError(t, right.SendContext(ctx, []byte("to the left")))
	got, err = left.RecvStringContext(ctx)
	require.NoError(t, err)
	require.Equal(t, "to the left", got)

	bindTo(t, gather, scatter)
	require.NoError(t, scatter.SendContext(ctx, []byte("work")))
	got, err = gather.RecvStringContext(ctx)
	require.NoError(t, err)
	require.Equal(t, "work", got)

	bindTo(t, radio, dish)
	require.NoError(t, dish.Join("weather"))
	var group string
	for n, err = 0, context.DeadlineExceeded; err != nil; { // until the radio knows the group
		require.NoError(t, ctx.Err())
		require.NoError(t, radio.SendGroup("weather", []byte("rain")))
		try, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
		n, group, err = dish.RecvGroupContext(try, buf)
		cancel()
	}
	require.Equal(t, "rain", string(buf[:n]))
	require.Equal(t, "weather", group)
	require.NoError(t, dish.Leave("weather"))

	require.NoError(t, dgram.Bind("udp://127.0.0.1:*"))
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(30*time.Second)))
	to := conn.LocalAddr().(*net.UDPAddr).AddrPort()
	require.NoError(t, dgram.SendDatagramContext(ctx, to, []byte("ping")))
	require.NoError(t, dgram.SendMultipartContext(ctx, [][]byte{[]byte(to.String()), []byte("ping")}))
	for range 2 {
		n, from, err := conn.ReadFromUDPAddrPort(buf)
		require.NoError(t, err)
		require.Equal(t, "ping", string(buf[:n]))
		_, err = conn.WriteToUDPAddrPort([]byte("pong"), from)
		require.NoError(t, err)
	}
	n, from, err := dgram.RecvDatagramContext(ctx, buf)
	require.NoError(t, err)
	require.Equal(t, to, from)
	require.Equal(t, "pong", string(buf[:n]))
	parts, err := dgram.RecvMultipartContext(ctx)
	require.NoError(t, err)
	require.Len(t, parts, 2)
	require.Equal(t, "pong", string(parts[1]))
}

// The draft types have what is theirs alone, and not what is about several parts.
func TestDraftTypesLackWhatTheyCannot(t *testing.T) {
	t.Parallel()
	own := map[string][]string{ // methods, and who has them
		"Send":           {"Client", "Channel", "Scatter", "Radio"},
		"SendChan":       {"Client", "Channel", "Scatter", "Radio"},
		"SendMessage":    {"Client", "Channel", "Scatter", "Radio", "Server", "Peer"},
		"SendBatch":      {"Client", "Channel", "Scatter", "Radio", "Server", "Peer"},
		"Recv":           {"Client", "Channel", "Gather", "Dish", "Server", "Peer"},
		"RecvMessage":    {"Client", "Channel", "Gather", "Dish", "Server", "Peer"},
		"RecvChan":       {"Client", "Channel", "Gather", "Dish", "Server", "Peer"},
		"Messages":       {"Client", "Channel", "Gather", "Dish", "Server", "Peer", "Dgram"},
		"SendTo":         {"Server", "Peer"},
		"RecvFrom":       {"Server", "Peer"},
		"DisconnectPeer": {"Server", "Peer"},
		"ConnectPeer":    {"Peer"},
		"SendGroup":      {"Radio"},
		"RecvGroup":      {"Dish"},
		"Join":           {"Dish"},
		"Leave":          {"Dish"},
		"SendDatagram":   {"Dgram"},
		"RecvDatagram":   {"Dgram"},
		"SendMultipart":  {"Dgram"},
		"RecvMultipart":  {"Dgram"},
		"Connect":        {"Client", "Channel", "Scatter", "Radio", "Server", "Peer", "Gather", "Dish"},
		"Subscribe":      nil,
		"DiscardParts":   nil,
		"RecvMore":       nil,
		"SendMessageTo":  nil,
	}
	for _, typ := range []reflect.Type{
		reflect.TypeFor[typed.Client](), reflect.TypeFor[typed.Server](), reflect.TypeFor[typed.Peer](), reflect.TypeFor[typed.Channel](),
		reflect.TypeFor[typed.Scatter](), reflect.TypeFor[typed.Gather](), reflect.TypeFor[typed.Radio](), reflect.TypeFor[typed.Dish](),
		reflect.TypeFor[typed.Dgram](),
	} {
		for method, owners := range own {
			_, has := typ.MethodByName(method)
			require.Equal(t, slices.Contains(owners, typ.Name()), has, "%s of %v", method, typ)
			_, has = typ.MethodByName(method + "Context")
			_, there := reflect.TypeFor[*zmq.Socket]().MethodByName(method + "Context")
			require.Equal(t, there && slices.Contains(owners, typ.Name()), has, "%sContext of %v", method, typ)
		}
	}
}
