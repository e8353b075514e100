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
	missing := bundle("AsCurveServer", func(*Socket) (security, []Setting, error) { return security{}, nil, err })
	s := optionSocket(t, optionContext(t), Dealer)
	require.ErrorIs(t, s.Set(missing), ErrNotSupported)
	require.ErrorContains(t, s.Set(missing), "set AsCurveServer: the libzmq in use")
}
