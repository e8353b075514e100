package zmq

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a libzmq without CURVE answers becomes an error that says what is missing.
func TestCurveMissing(t *testing.T) {
	t.Parallel()
	err := curveError(-int(syscall.ENOTSUP))
	require.ErrorIs(t, err, ErrNotSupported)
	require.ErrorContains(t, err, "built without CURVE")
	require.ErrorContains(t, err, "libsodium")
	require.ErrorIs(t, bundle{name: "AsCurveServer"}.wrap(err), ErrNotSupported)
	require.ErrorContains(t, bundle{name: "AsCurveServer"}.wrap(err), "set AsCurveServer: the libzmq in use")
}
