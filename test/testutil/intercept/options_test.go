package intercept_test

import (
	"encoding/binary"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/test/testutil/intercept"
)

const childVariable = "GOZMQ_TEST_BAD_OPTION"

// A bad value aborts the process. A good value and an unknown option do not.
func TestAbortOnBadOptions(t *testing.T) {
	if os.Getenv(childVariable) != "" {
		setValues(t)
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAbortOnBadOptions$")
	cmd.Env = append(os.Environ(), childVariable+"=1", "GOTRACEBACK=single", "ASAN_OPTIONS=detect_leaks=0")
	said, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(said), "option 23 was given 4 bytes that libzmq refuses: -7")
}

func setValues(t *testing.T) {
	const sendHWM = 23
	intercept.AbortOnBadOptions()
	c, rc := libzmq.OpenContext()
	require.Zero(t, rc)
	s, rc := libzmq.OpenSocket(c, libzmq.Push)
	require.Zero(t, rc)
	value := func(n int32) []byte { return binary.NativeEndian.AppendUint32(nil, uint32(n)) }
	require.Zero(t, libzmq.SetOption(s, sendHWM, value(7)))
	require.Negative(t, libzmq.SetOption(s, 9999, value(7)))
	require.Equal(t, 2, intercept.OptionCalls())
	libzmq.SetOption(s, sendHWM, value(-7))
}
