package zmq_test

import (
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// The first two are those of the specification (RFC 32), the others what libzmq
// makes of the same bytes.
var z85Vectors = []struct{ data, text string }{
	{"\x86\x4f\xd2\x6f\xb5\x59\xf7\x5b", "HelloWorld"},
	{
		"\x8e\x0b\xdd\x69\x76\x28\xb9\x1d\x8f\x24\x55\x87\xee\x95\xc5\xb0\x4d\x48\x96\x3f\x79\x25\x98\x77\xb4\x9c\xd9\x06\x3a\xea\xd3\xb7",
		"JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6",
	},
	{"", ""},
	{"\x00\x00\x00\x00", "00000"},
	{"\x00\x00\x00\x01", "00001"},
	{"\xff\xff\xff\xff", "%nSc0"},
	{"\xff\xff\xff\xfe\x00\x00\x00\x55", "%nSb#00010"},
}

func TestZ85Vectors(t *testing.T) {
	t.Parallel()
	for _, v := range z85Vectors {
		text := noErr(zmq.Z85Encode([]byte(v.data)))(t)
		require.Equal(t, v.text, text)
		data := noErr(zmq.Z85Decode(v.text))(t)
		require.Equal(t, v.data, string(data))
	}
}

func TestZ85Refuses(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"a":                                "1 characters",
		"HelloWorl":                        "9 characters",
		"HelloWorld0":                      "11 characters",
		"Hello Worl":                       "character 6",
		"HelloWor\"d":                      "character 9",
		"\x80ello":                         "character 1",
		"Hell\x00":                         "character 5",
		"Hell\u00e9World":                  "11 characters",
		"00000%nSc1":                       "characters 6 to 10",
		"#####":                            "characters 1 to 5",
		"HelloWorld%nSd0" + "HelloWorld~~": "27 characters",
	} {
		_, err := zmq.Z85Decode(text)
		require.ErrorIs(t, err, syscall.EINVAL, "%q", text)
		require.ErrorContains(t, err, says, "%q", text)
		require.NotContains(t, err.Error(), "Hello")
	}
	for _, n := range []int{1, 2, 3, 5, 31, 33} {
		require.ErrorIs(t, errOf(zmq.Z85Encode(make([]byte, n))), syscall.EINVAL, "%d bytes", n)
	}
}

func TestZ85RoundTrip(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 5))
	for range 2000 {
		data := make([]byte, 4*r.IntN(20))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		text := noErr(zmq.Z85Encode(data))(t)
		require.Len(t, text, len(data)/4*5)
		require.Equal(t, data, noErr(zmq.Z85Decode(text))(t))
	}
}

// What can be decoded is what encoding makes: there is one text for each content.
func FuzzZ85Decode(f *testing.F) {
	for _, v := range z85Vectors {
		f.Add(v.text)
	}
	f.Add("#####")
	f.Add(strings.Repeat("0", 39))
	f.Fuzz(func(t *testing.T, text string) {
		data, err := zmq.Z85Decode(text)
		if err != nil {
			require.ErrorIs(t, err, syscall.EINVAL)
			require.Nil(t, data)
			return
		}
		require.Equal(t, text, noErr(zmq.Z85Encode(data))(t))
	})
}

func TestZ85Pad(t *testing.T) {
	t.Parallel()
	for size := range 20 {
		data := payload(size)
		padded, added := zmq.Z85Pad(data[:size:size])
		require.Less(t, added, 4)
		require.Len(t, padded, size+added)
		text := noErr(zmq.Z85Encode(padded))(t)
		back := noErr(zmq.Z85Decode(text))(t)
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
	keys := noErr(zmq.NewCurveKeys())(t)
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
