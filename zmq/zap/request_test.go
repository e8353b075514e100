package zap_test

import (
	"context"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zap"
)

const endpoint = "inproc://zeromq.zap.01"

// ask sends a request like libzmq and returns the frames of the reply.
func (w *world) ask(frames ...string) []string {
	w.t.Helper()
	s := w.socket(zmq.Req)
	defer s.Close()
	require.NoError(w.t, s.Connect(endpoint))
	parts := make([][]byte, len(frames))
	for i, f := range frames {
		parts[i] = []byte(f)
	}
	require.NoError(w.t, s.SendMultipart(w.ctx, parts))
	got, err := s.RecvMultipart(w.ctx)
	require.NoError(w.t, err)
	reply := make([]string, len(got))
	for i, p := range got {
		reply[i] = string(p)
	}
	require.Len(w.t, reply, 6)
	require.Equal(w.t, "1.0", reply[0])
	return reply
}

func TestReplies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, zap.Policy{Plain: func(domain, user, password string) bool { return domain+user+password == "dup" }})
	require.Equal(t, []string{"1.0", "7", "200", "OK", "u", ""}, w.ask("1.0", "7", "d", "10.0.0.1", "id", "PLAIN", "u", "p"))
	d := w.decision()
	require.Equal(t, "7", d.RequestID)
	require.Equal(t, "id", d.RoutingID)
	require.Equal(t, netip.MustParseAddr("10.0.0.1"), d.IP)
	require.False(t, d.Time.IsZero())
	reply := w.ask("1.0", "\x00\xff", "d", "10.0.0.1", "", "PLAIN", "u", "wrong")
	require.Equal(t, "\x00\xff", reply[1])
	require.Equal(t, "400", reply[2])
	require.Empty(t, reply[4]+reply[5])
	require.NotContains(t, w.decision().String(), "wrong")
	require.Equal(t, zap.Stats{Accepted: 1, Refused: 1}, w.auth.Stats())
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	prefixes := func(texts ...string) (list []netip.Prefix) {
		for _, text := range texts {
			list = append(list, netip.MustParsePrefix(text))
		}
		return list
	}
	for _, test := range []struct {
		allow, deny []netip.Prefix
		local       bool
		accepted    string
		refused     string
	}{
		{nil, nil, false, "10.0.0.1 ::1 host:0:0:1 nonsense", ""},
		{prefixes("10.0.0.0/8", "::1/128"), nil, false, "10.0.0.1 10.255.255.255 ::1 ::ffff:10.1.1.1", "11.0.0.0 9.255.255.255 ::2 ::ffff:11.0.0.1 host:0:0:1 nonsense 10.0.0.1:80"},
		{prefixes("10.0.0.0/8"), nil, true, "10.0.0.1 host:0:0:1", "11.0.0.1"},
		{nil, prefixes("10.1.2.3/8", "fe80::/10"), false, "11.0.0.1 ::1 host:0:0:1", "10.9.9.9 ::ffff:10.9.9.9 fe80::1 fe80::1%eth0"},
		{prefixes("10.0.0.0/8"), prefixes("10.0.0.0/16"), false, "10.1.0.1", "10.0.0.1 11.0.0.1"},
		{prefixes("fe80::/10"), nil, false, "fe80::1%eth0", "10.0.0.1"},
		{prefixes("0.0.0.0/0"), nil, false, "1.2.3.4 ::ffff:1.2.3.4", "::1"},
	} {
		w := newWorld(t, zap.Policy{Allow: test.allow, Deny: test.deny, AllowLocal: test.local, Plain: everybody.Plain})
		for _, a := range strings.Fields(test.accepted) {
			require.Equal(t, "200", w.ask("1.0", "1", "", a, "", "NULL")[2], "%v %v %s", test.allow, test.deny, a)
		}
		for _, a := range strings.Fields(test.refused) {
			require.Equal(t, "400", w.ask("1.0", "1", "", a, "", "NULL")[2], "%v %v %s", test.allow, test.deny, a)
			require.Equal(t, "400", w.ask("1.0", "1", "", a, "", "PLAIN", "u", "p")[2], "%v %v %s", test.allow, test.deny, a)
		}
	}
}

func TestGSSAPIRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t, zap.Policy{GSSAPI: func(domain, principal string) bool { return principal == "ada@EXAMPLE" }})
	require.Equal(t, []string{"1.0", "1", "200", "OK", "ada@EXAMPLE", ""}, w.ask("1.0", "1", "d", "10.0.0.1", "", "GSSAPI", "ada@EXAMPLE"))
	require.Equal(t, "400", w.ask("1.0", "1", "d", "10.0.0.1", "", "GSSAPI", "eve@EXAMPLE")[2])
}

// Malformed requests from a socket of the same process are refused and do no harm.
func TestMalformedRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t, everybody)
	long := strings.Repeat("x", 256)
	for _, frames := range [][]string{
		{""},
		{"1.0"},
		{"1.0", "1"},
		{"1.0", "1", "d", "10.0.0.1", ""},
		{"1.1", "1", "d", "10.0.0.1", "", "NULL"},
		{"", "1", "d", "10.0.0.1", "", "NULL"},
		{long, "1", "d", "10.0.0.1", "", "NULL"},
		{"1.0", long, "d", "10.0.0.1", "", "NULL"},
		{"1.0", "1", long, "10.0.0.1", "", "NULL"},
		{"1.0", "1", "d", long, "", "NULL"},
		{"1.0", "1", "d", "10.0.0.1", long, "NULL"},
		{"1.0", "1", "d", "10.0.0.1", "", long},
		{"1.0", "1", "d", "10.0.0.1", "", ""},
		{"1.0", "1", "d", "10.0.0.1", "", "null"},
		{"1.0", "1", "d", "10.0.0.1", "", "NULL", "x"},
		{"1.0", "1", "d", "10.0.0.1", "", "PLAIN"},
		{"1.0", "1", "d", "10.0.0.1", "", "PLAIN", "u"},
		{"1.0", "1", "d", "10.0.0.1", "", "PLAIN", "u", "p", "more"},
		{"1.0", "1", "d", "10.0.0.1", "", "PLAIN", "u\x00", "p"},
		{"1.0", "1", "d", "10.0.0.1", "", "PLAIN", long, "p"},
		{"1.0", "1", "d", "10.0.0.1", "", "CURVE"},
		{"1.0", "1", "d", "10.0.0.1", "", "CURVE", "short"},
		{"1.0", "1", "d", "10.0.0.1", "", "CURVE", strings.Repeat("k", 33)},
		{"1.0", "1", "d", "10.0.0.1", "", "GSSAPI", "a\x00"},
		strings.Split(strings.Repeat("x,", 1000), ","),
	} {
		reply := w.ask(frames...)
		require.Equal(t, "500", reply[2], "%q", frames)
		d := w.decision()
		require.Equal(t, zap.Malformed, d.Status)
		require.Error(t, d.Err)
		require.Less(t, len(d.String()), 2000)
	}

	// Without the empty frame of a request there is no address to reply to.
	for _, typ := range []zmq.SocketType{zmq.Dealer, zmq.Push, zmq.Pair, zmq.Pub, zmq.Sub, zmq.Router} {
		s := w.socket(typ)
		require.NoError(t, s.Connect(endpoint))
		if typ == zmq.Sub {
			require.NoError(t, s.Subscribe("topic"))
		} else {
			_ = s.SendString(context.Background(), "nonsense", zmq.DontWait)
			_ = s.SendMultipart(context.Background(), [][]byte{[]byte("1.0"), {}, make([]byte, 1<<20)}, zmq.DontWait)
		}
		require.NoError(t, s.Close())
	}
	server, inServer := w.server("tcp://127.0.0.1:*", zmq.AsPlainServer("d"))
	w.letsIn(server, inServer, zmq.AsPlainClient("u", "p"))
}

func TestPoliciesThatCannotBe(t *testing.T) {
	t.Parallel()
	w := newWorld(t, zap.Policy{})
	for says, p := range map[string]zap.Policy{
		"entry 1 of Allow":         {Allow: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), {}}},
		"entry 0 of Deny":          {Deny: []netip.Prefix{{}}},
		"write it as IPv4":         {Deny: []netip.Prefix{netip.MustParsePrefix("::ffff:10.0.0.0/104")}},
		"Timeout":                  {Timeout: -time.Second},
		"MaxCallbacks":             {MaxCallbacks: -1},
		`domain ""`:                {Domains: map[string]zap.Policy{"": {}}},
		"1 to 255 bytes":           {Domains: map[string]zap.Policy{strings.Repeat("x", 256): {}}},
		"only in the outer policy": {Domains: map[string]zap.Policy{"d": {Timeout: time.Second}}},
		`domain "d": entry 0 of`:   {Domains: map[string]zap.Policy{"d": {Allow: []netip.Prefix{{}}}}},
	} {
		err := w.auth.SetPolicy(p)
		require.ErrorIs(t, err, syscall.EINVAL, says)
		require.ErrorContains(t, err, says)
		_, err = zap.Start(w.c, p)
		require.ErrorContains(t, err, says)
	}
	require.Equal(t, "200", w.ask("1.0", "1", "", "10.0.0.1", "", "NULL")[2], "the old policy stays")

	// SetPolicy copies its argument.
	list := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	deny := []netip.Prefix{netip.MustParsePrefix("10.9.0.0/16")}
	domains := map[string]zap.Policy{"d": {Allow: list, Deny: deny}}
	require.NoError(t, w.auth.SetPolicy(zap.Policy{Allow: list, Deny: deny, Domains: domains}))
	list[0], deny[0] = netip.MustParsePrefix("11.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/16")
	delete(domains, "d")
	for _, domain := range []string{"", "d"} {
		require.Equal(t, "200", w.ask("1.0", "1", domain, "10.0.0.1", "", "NULL")[2])
		require.Equal(t, "400", w.ask("1.0", "1", domain, "11.0.0.1", "", "NULL")[2])
		require.Equal(t, "400", w.ask("1.0", "1", domain, "10.9.0.1", "", "NULL")[2])
	}
}
