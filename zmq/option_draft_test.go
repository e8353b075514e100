package zmq

import (
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
	long := optionContext(t, ThreadNamePrefixText.To(strings.Repeat("x", 16)))
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
