package zmq

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// An option that the libzmq at hand lacks is ErrNotSupported, by its name and with
// what would bring it, whatever the value; one that it has is set, and read back.
func TestDraftOptions(t *testing.T) {
	t.Parallel()
	zctx := optionContext(t)
	for _, o := range optionTable {
		if o.number < 93 || o.number > 124 {
			continue
		}
		typ := Pair
		for !o.types.has(typ) {
			typ++
		}
		require.LessOrEqual(t, typ, Stream, "a stable type has "+o.name)
		s := optionSocket(t, zctx, typ)
		if o.access&canSet == 0 {
			continue // TopicsCount has a test of its own
		}
		for _, value := range samples(o) {
			err := s.Set(to(o, value))
			if errno := missing(o); errno != 0 {
				requireRefused(t, err, errno, o.name)
				require.ErrorIs(t, err, ErrNotSupported)
				if o.needs != "" && strings.HasPrefix(o.needs, needsDraft) {
					require.ErrorContains(t, err, "draft API", o.name)
				}
				continue
			}
			require.NoError(t, err, "%s = %v", o.name, value)
			if o.access&canGet != 0 {
				v, err := o.get(s)
				require.NoError(t, err, o.name)
				require.EqualValues(t, value, o.goValue(v), o.name)
			}
		}
	}
}

// Values that libzmq would only notice when it aborts.
func TestBadInputDraftOptions(t *testing.T) {
	t.Parallel()
	zctx := optionContext(t)
	s := optionSocket(t, zctx, Router)
	for _, setting := range []Setting{
		RouterNotify.To(4), RouterNotify.To(-1), HelloMessage.To(make([]byte, 65537)), Priority.To(-1), BusyPoll.To(-1),
		InBatchSize.To(1), OutBatchSize.To(0), InBatchSize.To(1 << 30), NormMode.To(5), NormBlockSize.To(0), NormBlockSize.To(256),
		NormNumParity.To(255), NormSegmentSize.To(1 << 20), NormBufferSize.To(0), WSSHostname.To(strings.Repeat("h", 254)),
		OptionByNumber[int](112).To(-5), OptionByNumber[[]byte](110).To(make([]byte, 1<<20)),
	} {
		requireRefused(t, s.Set(setting), syscall.EINVAL)
	}
	for _, setting := range []Setting{HiccupMessage.To(nil), XSubVerboseUnsubscribe.To(true)} {
		requireRefused(t, s.Set(setting), syscall.EINVAL, "ROUTER")
	}
	requireRefused(t, optionSocket(t, zctx, Rep).Set(HelloMessage.To(nil)), syscall.EINVAL, "REP")
	if libzmq.Has("WSS") {
		requireRefused(t, s.Set(WSSKeyPEM.To("no key")), syscall.EINVAL, "PEM")
		requireRefused(t, s.Bind("wss://127.0.0.1:*"), syscall.EINVAL, "WSSCertPEM")
	}
}

func TestThreadNamePrefixText(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "four", strings.Repeat("x", 17), "a\x00b"} {
		_, err := NewContext(ThreadNamePrefixText.To(bad))
		requireRefused(t, err, syscall.EINVAL, "THREAD_NAME_PREFIX")
	}
	zctx, err := NewContext(ThreadNamePrefixText.To("ingest"))
	if !libzmq.Has("draft") {
		requireRefused(t, err, syscall.ENOTSUP, "THREAD_NAME_PREFIX", "draft")
		_, err = ThreadNamePrefixText.Get(optionContext(t))
		requireRefused(t, err, syscall.ENOTSUP, "THREAD_NAME_PREFIX", "draft")
		return
	}
	require.NoError(t, err)
	defer zctx.Close()
	text, err := ThreadNamePrefixText.Get(zctx)
	require.NoError(t, err)
	require.Equal(t, "ingest", text)
	_, err = zctx.NewSocket(Pair)
	require.NoError(t, err)
	requireThreadNamed(t, "ingest")
	requireRefused(t, zctx.Set(ThreadNamePrefixText.To("later")), syscall.EINVAL, "NewContext")
	long, err := NewContext(ThreadNamePrefixText.To(strings.Repeat("x", 16)))
	require.NoError(t, err)
	_, err = long.NewSocket(Pair)
	require.NoError(t, err)
	require.NoError(t, long.Close())
}

// requireThreadNamed waits until a thread of the process has a name with this prefix.
// A thread names itself when it begins.
func requireThreadNamed(t *testing.T, prefix string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return // /proc tells the names
	}
	require.Eventually(t, func() bool {
		names, err := filepath.Glob("/proc/self/task/*/comm")
		require.NoError(t, err)
		for _, name := range names {
			if text, _ := os.ReadFile(name); strings.HasPrefix(string(text), prefix) {
				return true
			}
		}
		return false
	}, 20*time.Second, time.Millisecond)
}

// A HelloMessage comes first; RouterNotify tells of the peer, and that it has gone.
func TestHelloAndNotify(t *testing.T) {
	t.Parallel()
	zctx := optionContext(t)
	router, dealer := optionSocket(t, zctx, Router), optionSocket(t, zctx, Dealer)
	if !libzmq.Has("draft") {
		requireRefused(t, router.Set(RouterNotify.To(3)), syscall.ENOTSUP, "ROUTER_NOTIFY", "GOZMQ_LIBRARY")
		requireRefused(t, dealer.Set(HelloMessage.To([]byte("hi"))), syscall.ENOTSUP, "HELLO_MSG", "GOZMQ_LIBRARY")
		requireRefused(t, router.Set(DisconnectMessage.To([]byte("bye"))), syscall.ENOTSUP, "DISCONNECT_MSG", "draft API")
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	require.NoError(t, router.Set(RouterNotify.To(NotifyConnect|NotifyDisconnect)))
	require.NoError(t, dealer.Set(HelloMessage.To([]byte("hi"))))
	disconnects := router.Set(DisconnectMessage.To([]byte("bye")))
	if libzmqOlderThan(4, 3, 5) {
		requireRefused(t, disconnects, syscall.ENOTSUP, "DISCONNECT_MSG", "4.3.5")
	} else {
		require.NoError(t, disconnects)
	}
	require.NoError(t, router.Bind("tcp://127.0.0.1:*"))
	endpoint, err := router.LastEndpoint()
	require.NoError(t, err)
	require.NoError(t, dealer.Connect(endpoint))
	next := func() string {
		t.Helper()
		p, err := router.RecvMultipart(ctx)
		require.NoError(t, err)
		require.Len(t, p, 2)
		return string(p[1])
	}
	require.Empty(t, next(), "it has come")
	require.Equal(t, "hi", next())
	require.NoError(t, dealer.Close())
	require.Empty(t, next(), "it has gone")
	if disconnects == nil {
		require.Equal(t, "bye", next())
	}
}
