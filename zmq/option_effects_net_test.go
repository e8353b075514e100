package zmq

import (
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// The option is for Windows; elsewhere libzmq keeps it, and messages go as before.
func effectOfLoopbackFastPath(t *testing.T, zctx *Context, ctx context.Context) {
	pull, endpoint := effectBound(t, zctx, Pull, LoopbackFastPath.To(true))
	push := effectConnected(t, zctx, Push, endpoint, LoopbackFastPath.To(true))
	require.True(t, get(t, LoopbackFastPath, push))
	require.NoError(t, push.SendString(context.Background(), "message"))
	require.Equal(t, "message", effectRecv(t, ctx, pull))
}

// Without the loop, what a RADIO sends to a group of addresses does not come back to
// its own machine. On the loopback interface it does so in any case, so the setting is
// looked for among the process's descriptors.
func effectOfMulticastLoop(t *testing.T, zctx *Context, ctx context.Context) {
	if !libzmq.Has("draft") { // the option is there, and used by RADIO and PGM alone
		_, err := zctx.NewSocket(Radio)
		requireRefused(t, err, syscall.ENOTSUP, "RADIO", "draft")
		s := optionSocket(t, zctx, Pub, MulticastLoop.To(false))
		loop := get(t, MulticastLoop, s)
		require.False(t, loop)
		return
	}
	endpoint := "udp://127.0.0.1;239.192.17.4:" + freeUDPPort(t)
	dish := optionSocket(t, zctx, Dish)
	require.NoError(t, dish.Bind(endpoint))
	require.NoError(t, dish.Join("group"))
	radio := optionSocket(t, zctx, Radio, MulticastLoop.To(false), Linger.To(0))
	require.NoError(t, radio.Connect(endpoint))
	require.NoError(t, radio.SendGroup(context.Background(), "group", []byte("message")))
	require.Equal(t, "message", effectRecv(t, ctx, dish))
	unlooped := 0
	for fd := range 1024 {
		kind, err := socketOption(fd, syscall.SOL_SOCKET, soType)
		if err != nil || kind != syscall.SOCK_DGRAM {
			continue
		}
		if loop, err := socketOption(fd, syscall.IPPROTO_IP, syscall.IP_MULTICAST_LOOP); err == nil && loop == 0 {
			unlooped++
		}
	}
	require.NotZero(t, unlooped)
}

func freeUDPPort(t *testing.T) string {
	t.Helper()
	free := noErr(net.ListenUDP("udp4", nil))(t)
	defer free.Close()
	return strconv.Itoa(free.LocalAddr().(*net.UDPAddr).Port)
}

// The addresses of the messages show how much libzmq reads at once, because they are adjacent in
// its buffer.
func effectOfInBatchSize(t *testing.T, zctx *Context, ctx context.Context) {
	const batch, size, messages = 128 << 10, 100, 4000
	for _, large := range []bool{false, true} {
		settings := []Setting{RecvHWM.To(0), SendHWM.To(0)}
		if large {
			settings = append(settings, InBatchSize.To(batch))
		}
		pull, endpoint := effectBound(t, zctx, Pull, settings...)
		push := effectConnected(t, zctx, Push, endpoint, SendHWM.To(0), OutBatchSize.To(batch))
		longest := 0
		// Only what has arrived can be read at once: another round if it was too little.
		for ctx.Err() == nil && (longest == 0 || large && longest <= 8192) {
			for range messages {
				require.NoError(t, push.Send(context.Background(), make([]byte, size)))
			}
			longest = max(longest, longestRun(t, ctx, pull, messages, size))
		}
		if !large {
			require.LessOrEqual(t, longest, 8192)
			continue
		}
		require.Greater(t, longest, 8192)
		require.LessOrEqual(t, longest, batch)
	}
}

// longestRun receives messages and returns the length of memory that they fill without
// a gap.
func longestRun(t *testing.T, ctx context.Context, s *Socket, messages, size int) (longest int) {
	list := make([]Message, messages)
	last, run := uintptr(0), 0
	for i := range list {
		require.NoError(t, s.RecvMessage(ctx, &list[i]))
		at := uintptr(unsafe.Pointer(&list[i].Bytes()[0]))
		if run += size + 2; at != last+uintptr(size)+2 { // two bytes are the frame's
			run = size + 2
		}
		last, longest = at, max(longest, run)
	}
	for i := range list {
		require.NoError(t, list[i].Close())
	}
	return longest
}

// libzmq copies messages into its buffer of OutBatchSize while they fit, and releases
// them then, even if the peer reads nothing; larger ones it writes from where they are.
func effectOfOutBatchSize(t *testing.T, zctx *Context, ctx context.Context) {
	const size = 4 << 20 // more than the kernel takes for a peer that does not read
	for _, batch := range []int{8192, 2 * size} {
		l := noErr(net.Listen("tcp", "127.0.0.1:0"))(t)
		defer l.Close()
		push := effectConnected(t, zctx, Push, "tcp://"+l.Addr().String(), OutBatchSize.To(batch), SendBuffer.To(4096))
		conn := noErr(l.Accept())(t)
		defer conn.Close()
		require.NoError(t, greetAs(conn, "PULL"))
		released := make(chan struct{})
		m := noErr(NewMessageZeroCopy(make([]byte, size), func() { close(released) }))(t)
		require.NoError(t, push.SendMessage(ctx, m))
		if batch > size {
			<-released // before the peer has read it
			continue
		}
		require.NoError(t, errOf(io.ReadFull(conn, make([]byte, 1000))))
		select {
		case <-released:
			require.Fail(t, "the message was copied")
		default:
		}
		require.NoError(t, errOf(io.CopyN(io.Discard, conn, size-1000)))
		<-released
	}
}

// greetAs is the handshake of ZMTP 3.0 without security.
func greetAs(conn net.Conn, typ string) error {
	greeting := append([]byte{0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 3, 0}, "NULL"...)
	ready := append([]byte("\x05READY\x0bSocket-Type\x00\x00\x00"), byte(len(typ)))
	ready = append(ready, typ...)
	hello := append(append(make([]byte, 0, 128), greeting...), make([]byte, 64-len(greeting))...)
	hello = append(append(hello, 4, byte(len(ready))), ready...)
	if _, err := conn.Write(hello); err != nil {
		return err
	}
	// Its greeting, and its own READY.
	var frame [2]byte
	if _, err := io.CopyN(io.Discard, conn, 64); err != nil {
		return err
	}
	if _, err := io.ReadFull(conn, frame[:]); err != nil {
		return err
	}
	_, err := io.CopyN(io.Discard, conn, int64(frame[1]))
	return err
}

// A connection that was refused is not tried again.
func effectOfReconnectStop(t *testing.T, zctx *Context, ctx context.Context) {
	// The port is bound but not listening: connections are refused, and no other socket gets the
	// port.
	fd := noErr(syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0))(t)
	defer syscall.Close(fd)
	syscall.CloseOnExec(fd)
	require.NoError(t, syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	address := noErr(syscall.Getsockname(fd))(t)
	endpoint := "tcp://127.0.0.1:" + strconv.Itoa(address.(*syscall.SockaddrInet4).Port)
	var monitors [2]*Monitor
	for i := range monitors {
		s := optionSocket(t, zctx, Dealer, Linger.To(0), ReconnectInterval.To(time.Millisecond), ReconnectStop.To(i)) // 1: when it is refused
		monitors[i] = noErr(s.Monitor(EventConnected | EventConnectRetried | EventClosed | EventMonitorStopped))(t)
		require.NoError(t, s.Connect(endpoint))
		require.Equal(t, EventClosed, nextEvent(t, ctx, monitors[i]).Event)
	}
	require.Equal(t, EventConnectRetried, nextEvent(t, ctx, monitors[0]).Event)
	require.NoError(t, syscall.Listen(fd, 10))
	for nextEvent(t, ctx, monitors[0]).Event != EventConnected {
		require.NoError(t, ctx.Err())
	}
	require.NoError(t, monitors[1].Close())
	require.Equal(t, EventMonitorStopped, nextEvent(t, ctx, monitors[1]).Event, "it has given up")
}

// Linux's numbers of these options, which are found on libzmq's own descriptors.
const (
	linuxPriority = 12
	linuxBusyPoll = 46
)

func effectOfPriority(t *testing.T, zctx *Context, ctx context.Context) {
	require.Zero(t, onConnection(t, zctx, ctx, linuxPriority, Priority.To(0)))
	got := onConnection(t, zctx, ctx, linuxPriority, Priority.To(5))
	if got == 0 && !libzmq.OlderThan(4, 3, 5) {
		t.Log("a libzmq that CMake built keeps the value, and does nothing with it")
		return
	}
	require.Equal(t, 5, got)
}

func effectOfBusyPoll(t *testing.T, zctx *Context, ctx context.Context) {
	err := optionSocket(t, zctx, Dealer).Set(BusyPoll.To(50))
	if errors.Is(err, syscall.EPERM) {
		requireRefused(t, err, syscall.EPERM, "BUSY_POLL", "CAP_NET_ADMIN")
		return
	}
	require.NoError(t, err)
	require.Equal(t, 50, onConnection(t, zctx, ctx, linuxBusyPoll, BusyPoll.To(50)))
}

// onConnection returns what the kernel says of a connection that a socket with a
// setting has made.
func onConnection(t *testing.T, zctx *Context, ctx context.Context, option int, setting Setting) int {
	t.Helper()
	_, endpoint := effectBound(t, zctx, Router)
	dealer := optionSocket(t, zctx, Dealer, Linger.To(0), setting)
	m := noErr(dealer.Monitor(EventConnected))(t)
	require.NoError(t, dealer.Connect(endpoint))
	value := noErr(socketOption(nextEvent(t, ctx, m).FD, syscall.SOL_SOCKET, option))(t)
	return value
}
