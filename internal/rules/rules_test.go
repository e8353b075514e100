package rules

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// named returns the types for which a question is answered with yes.
func named(yes func(Type) bool) string {
	var names []string
	for t := range types {
		if yes(Type(t)) {
			names = append(names, Type(t).String())
		}
	}
	return strings.Join(names, " ")
}

func TestTypes(t *testing.T) {
	for want, yes := range map[string]func(Type) bool{
		"PULL SUB GATHER DISH":                      func(t Type) bool { return !t.Sends() },
		"PUSH PUB SCATTER RADIO":                    func(t Type) bool { return !t.Receives() },
		"REQ REP":                                   Type.InTurn,
		"SUB XSUB DISH":                             Type.Subscribes,
		"PAIR CHANNEL":                              Type.OnePeer,
		"ROUTER REP":                                Type.NamesPeers,
		"ROUTER STREAM SERVER PEER":                 Type.SendsToOne,
		"ROUTER REP SUB XSUB STREAM DISH":           Type.ReadsAtOnce,
		"PAIR PUB SUB DEALER ROUTER PULL PUSH XSUB": Type.ReadsFreely,
		"PAIR PUB SUB REQ REP DEALER ROUTER PULL PUSH XPUB": func(t Type) bool { return !t.Checked() },
		"ROUTER STREAM XPUB PUB SERVER PEER RADIO":          func(t Type) bool { return t.Flags()&libzmq.Inexact != 0 },
	} {
		require.ElementsMatch(t, strings.Fields(want), strings.Fields(named(yes)))
	}
}

func TestUnknownTypes(t *testing.T) {
	for _, unknown := range []Type{-1, Type(len(types))} {
		require.False(t, unknown.Sends())
		require.Zero(t, unknown.Flags())
		require.Contains(t, unknown.String(), "socket type")
	}
}

func TestOptionsRecordWhatIsOn(t *testing.T) {
	var o Options
	for _, step := range []struct {
		number int
		value  []byte
		on     bool
	}{
		{libzmq.OptConflate, Int(1), true},
		{libzmq.OptConflate, Int(0), false},
		{libzmq.OptLinger, Int(-1), true},
		{libzmq.OptHelloMsg, make([]byte, 4), true}, // bytes, although all are zero
		{libzmq.OptHelloMsg, nil, false},
		{127, make([]byte, 8), false},
		{127, slices.Repeat([]byte{0xff}, 8), true},
	} {
		o.Note(step.number, step.value)
		require.Equal(t, step.on, o.On(step.number), "%v", step)
	}
	require.True(t, o.On(libzmq.OptLinger), "the others are as they were")
	for _, foreign := range []int{-2, 128, 1 << 20} {
		o.Note(foreign, Int(1))
		require.False(t, o.On(foreign))
	}
}

func TestCheckParts(t *testing.T) {
	for _, c := range []struct {
		t                    Type
		parts                int
		addressed, conflates bool
		want                 error
	}{
		{libzmq.Dealer, 3, false, false, nil},
		{libzmq.Dealer, 2, false, true, ErrConflate},
		{libzmq.Stream, 2, false, false, nil},
		{libzmq.Stream, 1, false, false, errStream},
		{libzmq.Dgram, 2, false, false, nil},
		{libzmq.Dgram, 1, false, false, errTwoParts},
		{libzmq.Client, 2, false, false, errOnePart},
		{libzmq.Server, 1, true, false, nil},
		{libzmq.Peer, 1, false, false, errNoPeer},
		{libzmq.Gather, 1, false, false, syscall.ENOTSUP},
	} {
		require.Equal(t, c.want, c.t.CheckParts(c.parts, c.addressed, c.conflates), "%v", c)
	}
}

func TestCheckContents(t *testing.T) {
	long := append([]byte{1}, make([]byte, MaxTopic+1)...)
	require.Error(t, Type(libzmq.XSub).CheckPart(long))
	require.NoError(t, Type(libzmq.XSub).CheckPart(long[:len(long)-1]))
	require.NoError(t, Type(libzmq.Dealer).CheckPart(long))

	address := []byte("127.0.0.1:5555\x00")
	dgram := Type(libzmq.Dgram)
	require.NoError(t, dgram.CheckDatagram(address, make([]byte, MaxDatagram)))
	require.Equal(t, errDatagram, dgram.CheckDatagram(address, make([]byte, MaxDatagram+1)))
	require.Equal(t, errUDPAddr, dgram.CheckDatagram([]byte("[::1]:5555"), nil))
	require.Equal(t, errUDPAddr, dgram.CheckDatagram([]byte("127.0.0.1:0"), nil))
	require.Equal(t, errDatagram, Type(libzmq.Radio).CheckDatagram([]byte("g"), make([]byte, MaxDatagram-1)))

	require.NoError(t, CheckGroup(strings.Repeat("g", libzmq.MaxGroup)))
	require.Error(t, CheckGroup(strings.Repeat("g", libzmq.MaxGroup+1)))
	require.Error(t, CheckGroup("a\x00b"))
}
