package libzmq

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The lock-free stack of returned buffers is the only memory of the shims that threads
// share without a mutex. Neither the race detector nor AddressSanitizer sees a data race
// in C.
func TestBuffersReturnUnderThreadSanitizer(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("run on Linux only")
	}
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler:", err)
	}
	program := filepath.Join(t.TempDir(), "stack")
	flags := []string{"-fsanitize=thread", "-std=gnu11", "-O1", "-g", "-o", program}
	build := exec.Command(cc, append(flags, "testdata/tsan/stack.c", "buffer.c", "-lpthread")...)
	if out, err := build.CombinedOutput(); err != nil {
		if strings.Contains(string(out), "tsan") {
			t.Skip("no ThreadSanitizer:", string(out))
		}
		require.NoError(t, err, string(out))
	}
	out, err := exec.Command(program).CombinedOutput()
	if strings.Contains(string(out), "unexpected memory mapping") {
		// The kernel spreads addresses wider than this ThreadSanitizer knows.
		out, err = exec.Command("setarch", "-R", program).CombinedOutput()
	}
	require.NoError(t, err, string(out))
}
