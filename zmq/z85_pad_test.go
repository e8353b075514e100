package zmq_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

func TestZ85Pad(t *testing.T) {
	t.Parallel()
	for size := range 20 {
		data := payload(size)
		padded, added := zmq.Z85Pad(data[:size:size])
		require.Less(t, added, 4)
		require.Len(t, padded, size+added)
		text, err := zmq.Z85Encode(padded)
		require.NoError(t, err)
		back, err := zmq.Z85Decode(text)
		require.NoError(t, err)
		require.Equal(t, string(data), string(back[:len(back)-added]))
	}
	longer := []byte("abcdefgh")
	padded, added := zmq.Z85Pad(longer[:5])
	require.Equal(t, 3, added)
	require.Equal(t, "abcde\x00\x00\x00", string(padded))
	require.Equal(t, "abcdefgh", string(longer), "what lies behind the slice is not written")
}

func TestCheckCurveKey(t *testing.T) {
	t.Parallel()
	keys, err := zmq.NewCurveKeys()
	require.NoError(t, err)
	require.NoError(t, zmq.CheckCurveKey(keys.Public))
	require.NoError(t, zmq.CheckCurveKey(keys.Secret))
	for _, bad := range []string{"", keys.Secret[:39], keys.Secret + "0", keys.Secret[:39] + "~", strings.Repeat("0", 40), strings.Repeat("#", 40)} {
		err := zmq.CheckCurveKey(bad)
		require.ErrorIs(t, err, syscall.EINVAL)
		if bad != "" {
			require.NotContains(t, err.Error(), bad)
		}
	}
}
