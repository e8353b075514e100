package cli

import (
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// lines is a writer that others may read.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// A role that is stopped by a signal exits as a shell says, with a result of what was
// done until then; meanwhile its metrics are there. (Signals are the process's, so no
// other test may run.)
func TestSignalInARole(t *testing.T) {
	for sig, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		dir := filepath.Join(t.TempDir(), "results")
		var out, errs lines
		ended := make(chan int)
		go func() {
			ended <- Main([]string{"echo", "-e", "tcp://127.0.0.1:*", "--metrics-addr", "127.0.0.1:0", "-o", dir}, &out, &errs)
		}()
		said := func(pattern string) string {
			form := regexp.MustCompile(pattern)
			require.Eventually(t, func() bool { return form.MatchString(errs.String()) }, time.Minute, 5*time.Millisecond)
			return form.FindStringSubmatch(errs.String())[1]
		}
		metrics, endpoint := said(`metrics on (\S+)/metrics`), said(`listening on (\S+)`)

		var sent, complaints lines
		require.Equal(t, exitOK, Main([]string{"send", "-p", "reqrep", "-e", endpoint, "-n", "100"}, &sent, &complaints), complaints.String())
		require.Contains(t, get(t, metrics+"/metrics"), "zbench_messages_total{")
		// A reply is counted when it has been sent: the last may be here before that.
		all := regexp.MustCompile(`zbench_messages_total\{[^}]*verb="echo"\} 100\n`)
		require.Eventually(t, func() bool { return all.MatchString(get(t, metrics+"/metrics")) }, time.Minute, 5*time.Millisecond)
		require.Contains(t, get(t, metrics+"/metrics"), "zbench_offered_rate{")
		require.Contains(t, get(t, metrics+"/debug/pprof/"), "goroutine")

		require.NoError(t, syscall.Kill(syscall.Getpid(), sig))
		require.Equal(t, code, <-ended)
		require.Contains(t, errs.String(), "stopped by signal: "+sig.String())
		require.Contains(t, out.String(), "sent back 100 messages")
		data, err := record.Load(nil, dir)
		require.NoError(t, err)
		require.True(t, data.Partial())
		require.Len(t, data.Runs, 1)
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Get(url)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return string(text)
}
