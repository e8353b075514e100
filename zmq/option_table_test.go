package zmq

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/rules"
)

// stableOptions are libzmq's 75 stable socket options: number, name, and whether
// libzmq lets them be set and got.
const stableOptions = `
4 AFFINITY SG, 5 ROUTING_ID SG, 6 SUBSCRIBE S, 7 UNSUBSCRIBE S, 8 RATE SG, 9 RECOVERY_IVL SG, 11 SNDBUF SG, 12 RCVBUF SG,
13 RCVMORE G, 14 FD G, 15 EVENTS G, 16 TYPE G, 17 LINGER SG, 18 RECONNECT_IVL SG, 19 BACKLOG SG, 21 RECONNECT_IVL_MAX SG,
22 MAXMSGSIZE SG, 23 SNDHWM SG, 24 RCVHWM SG, 25 MULTICAST_HOPS SG, 27 RCVTIMEO SG, 28 SNDTIMEO SG, 32 LAST_ENDPOINT G,
33 ROUTER_MANDATORY S, 34 TCP_KEEPALIVE SG, 35 TCP_KEEPALIVE_CNT SG, 36 TCP_KEEPALIVE_IDLE SG, 37 TCP_KEEPALIVE_INTVL SG,
39 IMMEDIATE SG, 40 XPUB_VERBOSE S, 41 ROUTER_RAW S, 42 IPV6 SG, 43 MECHANISM G, 44 PLAIN_SERVER SG, 45 PLAIN_USERNAME SG,
46 PLAIN_PASSWORD SG, 47 CURVE_SERVER SG, 48 CURVE_PUBLICKEY SG, 49 CURVE_SECRETKEY SG, 50 CURVE_SERVERKEY SG,
51 PROBE_ROUTER S, 52 REQ_CORRELATE S, 53 REQ_RELAXED S, 54 CONFLATE SG, 55 ZAP_DOMAIN SG, 56 ROUTER_HANDOVER S, 57 TOS SG,
61 CONNECT_ROUTING_ID S, 62 GSSAPI_SERVER SG, 63 GSSAPI_PRINCIPAL SG, 64 GSSAPI_SERVICE_PRINCIPAL SG, 65 GSSAPI_PLAINTEXT SG,
66 HANDSHAKE_IVL SG, 68 SOCKS_PROXY SG, 69 XPUB_NODROP S, 71 XPUB_MANUAL S, 72 XPUB_WELCOME_MSG S, 73 STREAM_NOTIFY S,
74 INVERT_MATCHING SG, 75 HEARTBEAT_IVL SG, 76 HEARTBEAT_TTL SG, 77 HEARTBEAT_TIMEOUT SG, 78 XPUB_VERBOSER S,
79 CONNECT_TIMEOUT SG, 80 TCP_MAXRT SG, 81 THREAD_SAFE G, 84 MULTICAST_MAXTPDU SG, 85 VMCI_BUFFER_SIZE S,
86 VMCI_BUFFER_MIN_SIZE S, 87 VMCI_BUFFER_MAX_SIZE S, 88 VMCI_CONNECT_TIMEOUT S, 89 USE_FD SG,
90 GSSAPI_PRINCIPAL_NAMETYPE SG, 91 GSSAPI_SERVICE_PRINCIPAL_NAMETYPE SG, 92 BINDTODEVICE SG`

// draftOptions are the 32 of the draft API.
const draftOptions = `
93 ZAP_ENFORCE_DOMAIN SG, 94 LOOPBACK_FASTPATH SG, 95 METADATA S, 96 MULTICAST_LOOP SG, 97 ROUTER_NOTIFY SG,
98 XPUB_MANUAL_LAST_VALUE S, 99 SOCKS_USERNAME SG, 100 SOCKS_PASSWORD SG, 101 IN_BATCH_SIZE SG, 102 OUT_BATCH_SIZE SG,
103 WSS_KEY_PEM S, 104 WSS_CERT_PEM S, 105 WSS_TRUST_PEM S, 106 WSS_HOSTNAME S, 107 WSS_TRUST_SYSTEM S,
108 ONLY_FIRST_SUBSCRIBE S, 109 RECONNECT_STOP SG, 110 HELLO_MSG S, 111 DISCONNECT_MSG S, 112 PRIORITY SG, 113 BUSY_POLL S,
114 HICCUP_MSG S, 115 XSUB_VERBOSE_UNSUBSCRIBE S, 116 TOPICS_COUNT G, 117 NORM_MODE SG, 118 NORM_UNICAST_NACK SG,
119 NORM_BUFFER_SIZE SG, 120 NORM_SEGMENT_SIZE SG, 121 NORM_BLOCK_SIZE SG, 122 NORM_NUM_PARITY SG,
123 NORM_NUM_AUTOPARITY SG, 124 NORM_PUSH SG`

func (o *optionSpec) letters() string {
	letters := ""
	if o.access&canSet != 0 {
		letters += "S"
	}
	if o.access&canGet != 0 {
		letters += "G"
	}
	return letters
}

func TestTableHasEveryOptionOnce(t *testing.T) {
	t.Parallel()
	list := func(text string) []string {
		var lines []string
		for line := range strings.SplitSeq(text, ",") {
			lines = append(lines, strings.TrimSpace(line))
		}
		return lines
	}
	stable, draft := list(stableOptions), list(draftOptions)
	require.Len(t, stable, 75)
	require.Len(t, draft, 32)
	got := map[int]string{}
	settable, gettable := 0, 0
	for _, o := range optionTable {
		require.NotContains(t, got, o.number)
		got[o.number] = fmt.Sprintf("%d %s %s", o.number, o.name, o.letters())
		if o.number > 0 && o.number <= 92 {
			settable += strings.Count(o.letters(), "S")
			gettable += strings.Count(o.letters(), "G")
		}
	}
	require.ElementsMatch(t, append(append(stable, draft...), "-2 READ_AHEAD SG", "-5 SPIN_TIME SG", "-4 TRACK_SUBSCRIPTIONS SG", "-6 TRACK_PEERS SG", "-3 WHEN_FULL SG"), slices.Collect(maps.Values(got)))
	require.Equal(t, 68, settable)
	require.Equal(t, 56, gettable)
}

// goTypes are the types of the exported variables.
var goTypes = map[optionKind]string{
	kindBool: "bool", kindInt: "int SocketType SecurityMechanism FullPolicy",
	kindMillis: "time.Duration", kindMillisOrNone: "time.Duration", kindTenths: "time.Duration", kindNanos: "time.Duration", kindSeconds: "time.Duration",
	kindInt64: "int64", kindUint64: "uint64", kindString: "string", kindKey: "string", kindTopic: "string", kindBytes: "[]byte",
}

// The comment of each option's variable begins with the name of the variable, which is also
// in the facts, and ends with the libzmq function behind the option.
func TestEveryOptionIsADocumentedVariable(t *testing.T) {
	t.Parallel()
	variables := declaredOptions(t)
	check := func(o *optionSpec, function string) {
		v, ok := variables[o.goName]
		require.True(t, ok, "no variable %s for %s", o.goName, o.name)
		require.Contains(t, strings.Fields(goTypes[o.kind]), v.typ, o.goName)
		switch {
		case o == TrackConnections.spec:
		case o.number < 0:
			require.True(t, strings.HasSuffix(v.doc, "\n\nlibzmq has no such option.\n"), o.goName)
		default:
			requireDocumented(t, o.goName, function+"(ZMQ_"+o.name+")", v.doc)
		}
		delete(variables, o.goName)
	}
	for _, o := range optionTable {
		function := "zmq_setsockopt"
		if o.access == canGet {
			function = "zmq_getsockopt"
		}
		check(o, function)
	}
	for _, o := range contextSpecs {
		function := "zmq_ctx_set"
		if o.access == canGet {
			function = "zmq_ctx_get"
		}
		check(o, function)
	}
	delete(variables, "ThreadNamePrefixText") // a second form of ThreadNamePrefix
	require.Empty(t, variables, "variables without an option")
}

// requireDocumented checks that a comment begins with the name of the variable and ends
// with the function of libzmq behind it.
func requireDocumented(t *testing.T, goName, function, doc string) {
	t.Helper()
	require.True(t, strings.HasPrefix(doc, goName+" "), "the comment of %s begins with its name: %q", goName, doc)
	lines := strings.Split(strings.TrimSpace(doc), "\n")
	require.GreaterOrEqual(t, len(lines), 3, goName)
	require.Empty(t, lines[len(lines)-2], goName)
	want := "Implements: " + function
	require.Contains(t, []string{want + ".", want + ", draft API."}, lines[len(lines)-1], goName)
}

type declaredOption struct{ typ, doc string }

// declaredOptions finds the variables of the form "Name = define[T](...)".
func declaredOptions(t *testing.T) map[string]declaredOption {
	t.Helper()
	files := noErr(os.ReadDir("."))(t)
	found := map[string]declaredOption{}
	for _, file := range files {
		name := file.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		parsed := noErr(parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments))(t)
		ast.Inspect(parsed, func(n ast.Node) bool {
			if gen, ok := n.(*ast.GenDecl); ok && len(gen.Specs) == 1 && gen.Tok == token.VAR {
				gen.Specs[0].(*ast.ValueSpec).Doc = gen.Doc
			}
			v, ok := n.(*ast.ValueSpec)
			if !ok || len(v.Values) != 1 {
				return true
			}
			call, ok := v.Values[0].(*ast.CallExpr)
			if !ok {
				return true
			}
			index, ok := call.Fun.(*ast.IndexExpr)
			if !ok {
				return true
			}
			if maker, ok := index.X.(*ast.Ident); ok && strings.HasPrefix(maker.Name, "define") {
				found[v.Names[0].Name] = declaredOption{typeText(index.Index), v.Doc.Text()}
			}
			return true
		})
	}
	return found
}

func typeText(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return typeText(e.X) + "." + e.Sel.Name
	case *ast.ArrayType:
		return "[]" + typeText(e.Elt)
	}
	return fmt.Sprintf("%T", e)
}

// The record of what is on knows which options are numbers: four bytes of zero are off for
// those, and a value for the others.
func TestOptionRecordKnowsTexts(t *testing.T) {
	for _, o := range optionTable {
		if o.number < 0 {
			continue
		}
		text := o.kind == kindString || o.kind == kindTopic || o.kind == kindBytes || o.kind == kindKey
		var options rules.Options
		options.Note(o.number, make([]byte, 4))
		require.Equal(t, text, options.On(o.number), o.name)
	}
}
