package zap

import (
	"encoding/binary"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// A list of frames as bytes. Two bytes with its length precede each frame.
func flatten(frames ...string) (flat []byte) {
	for _, f := range frames {
		flat = append(binary.BigEndian.AppendUint16(flat, uint16(len(f))), f...)
	}
	return flat
}

func unflatten(flat []byte) (frames [][]byte) {
	for len(flat) >= 2 {
		n := min(int(binary.BigEndian.Uint16(flat)), len(flat)-2)
		frames = append(frames, flat[2:2+n])
		flat = flat[2+n:]
	}
	return frames
}

// FuzzRequest parses any message as a request. It is refused, or the parsed request
// equals the message. The reply and the logged decision are correct in both cases.
func FuzzRequest(f *testing.F) {
	key := strings.Repeat("k", 32)
	for _, frames := range [][]string{
		{"p", "", "1.0", "1", "d", "10.0.0.1", "", "NULL"},
		{"p", "", "1.0", "1", "d", "::ffff:10.0.0.1%eth0", "me", "PLAIN", "ada", "sesame"},
		{"p", "", "1.0", "1", "", "10.0.0.1", "", "CURVE", key},
		{"p", "", "1.0", "1", "", "", "", "GSSAPI", "ada@EXAMPLE"},
		{"p", "", "1.0", "1"},
		{"p", "x"},
		{"p"},
		{},
		{"p", "", "2.0", "1", "d", "10.0.0.1", "", "NULL"},
		{"p", "", "1.0", strings.Repeat("i", 256), "d", "10.0.0.1", "", "NULL"},
		{"p", "", "1.0", "1", "d", "10.0.0.1", "", "NULL", "x"},
		{"p", "", "1.0", "1", "d", "10.0.0.1", "", "PLAIN", "a\x00", "b"},
		{"p", "", "1.0", "1", "d", "10.0.0.1", "", "CURVE", "short"},
		{"p", "", "1.0", "1", "d", "10.0.0.1", "", "null"},
	} {
		f.Add(flatten(frames...))
	}
	rules, err := newRules(Policy{Allow: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, flat []byte) {
		frames := unflatten(flat)
		e, r, err := parse(frames)
		reply := e.reply(verdict{status: Malformed, text: "x"}, "", nil)
		require.Len(t, reply, 8)
		require.Equal(t, len(frames) >= 2 && len(frames[1]) == 0, e.answers)
		if e.answers {
			require.Equal(t, frames[0], reply[0])
		}
		require.LessOrEqual(t, len(e.requestID), maxField)
		d := Decision{Request: r, Err: err}
		require.Less(t, len(d.String()), 20_000)
		if err != nil {
			require.Less(t, len(err.Error()), 500)
			return
		}
		said := []string{"1.0", r.RequestID, r.Domain, r.Address, r.RoutingID, r.Mechanism}
		switch r.Mechanism {
		case mechanismPlain:
			said = append(said, r.User, r.Password())
		case mechanismCurve:
			key, err := zmq.Z85Decode(r.PublicKey)
			require.NoError(t, err)
			said = append(said, string(key))
		case mechanismGSSAPI:
			said = append(said, r.Principal)
		default:
			require.Equal(t, mechanismNull, r.Mechanism)
		}
		require.Equal(t, flatten(said...), flatten(texts(frames[2:])...))
		require.Equal(t, r.RequestID, string(reply[3]))
		if p := r.Password(); len(p) > 8 && !strings.Contains(r.Domain+r.Address+r.RoutingID+r.User, p) {
			require.NotContains(t, d.String(), p)
		}
		v, done := rules.of(r.Domain).look(&r)
		if done && v.status == Accepted {
			require.True(t, netip.MustParsePrefix("10.0.0.0/8").Contains(r.IP))
		}
		id, err := Grant{}.identity(&r)
		if err == nil {
			require.NotContains(t, id, "\x00")
			require.LessOrEqual(t, len(id), maxField)
		}
	})
}

func texts(frames [][]byte) (all []string) {
	for _, f := range frames {
		all = append(all, string(f))
	}
	return all
}
