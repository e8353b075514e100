package zmqprom_test

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/contrib/zmqprom"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zmqtest"
)

// registered returns a collector in a registry that checks what it sends.
func registered(t *testing.T) (*zmqprom.Collector, *prometheus.Registry) {
	t.Helper()
	c, r := zmqprom.NewCollector(), prometheus.NewPedanticRegistry()
	require.NoError(t, r.Register(c))
	return c, r
}

func TestNamesFollowTheConventions(t *testing.T) {
	t.Parallel()
	c, r := registered(t)
	c.AddContext("main", zmqtest.NewContext(t))
	a, _ := zmqtest.Pair(t, zmq.Pair, zmq.Pair)
	c.AddSocket("a", a)
	problems, err := testutil.GatherAndLint(r)
	require.NoError(t, err)
	require.Empty(t, problems)
}

func TestContextAddsUpItsSockets(t *testing.T) {
	t.Parallel()
	c, r := registered(t)
	zctx := zmqtest.NewContext(t)
	c.AddContext("orders", zctx)
	expect := func(text, why string) {
		t.Helper()
		require.NoError(t, testutil.GatherAndCompare(r, strings.NewReader(text), "zmq_sent_messages_total", "zmq_peers"), why)
	}
	expect("", "a context without sockets")

	pull := zmqtest.NewSocket(t, zctx, zmq.Pull)
	endpoint := zmqtest.Bind(t, pull, "tcp://127.0.0.1:*")
	send := func() *zmq.Socket {
		push := zmqtest.NewSocket(t, zctx, zmq.Push)
		require.NoError(t, push.Connect(endpoint))
		zmqtest.RequireWorks(t, push, pull)
		require.NoError(t, push.WaitConnected(zmqtest.Soon(t), 1))
		return push
	}
	first, second := send(), send()
	require.NoError(t, pull.WaitConnected(zmqtest.Soon(t), 2))
	const head = "# HELP zmq_sent_messages_total Messages that libzmq has accepted.\n# TYPE zmq_sent_messages_total counter\n"
	const peers = "# HELP zmq_peers Current connections whose handshake is complete.\n# TYPE zmq_peers gauge\n"
	expect(peers+`zmq_peers{name="orders",type="PULL"} 2
zmq_peers{name="orders",type="PUSH"} 2
`+head+`zmq_sent_messages_total{name="orders",type="PULL"} 0
zmq_sent_messages_total{name="orders",type="PUSH"} 2
`, "two sockets")

	zmqtest.RequireWorks(t, first, pull)
	require.NoError(t, first.Close())
	require.Eventually(t, func() bool { return pull.Stats().Connections == 1 }, zmqtestPatience, tick)
	expect(peers+`zmq_peers{name="orders",type="PULL"} 1
zmq_peers{name="orders",type="PUSH"} 1
`+head+`zmq_sent_messages_total{name="orders",type="PULL"} 0
zmq_sent_messages_total{name="orders",type="PUSH"} 3
`, "a closed socket stays in counters, not in gauges")
	require.NoError(t, second.Close())
	require.NoError(t, pull.Close())
	require.NoError(t, testutil.GatherAndCompare(r, strings.NewReader(head+`zmq_sent_messages_total{name="orders",type="PULL"} 0
zmq_sent_messages_total{name="orders",type="PUSH"} 3
`), "zmq_sent_messages_total"))
	c.Remove("orders")
	expect("", "it was removed")
}

func TestSocketStandsAlone(t *testing.T) {
	t.Parallel()
	c, r := registered(t)
	push, pull := zmqtest.Pair(t, zmq.Push, zmq.Pull)
	c.AddSocket("in", pull)
	c.AddSocket("out", push)
	require.NoError(t, push.SendMultipart(zmqtest.Soon(t), [][]byte{[]byte("resize"), []byte("cat.png")}))
	_, err := pull.RecvMultipart(zmqtest.Soon(t))
	require.NoError(t, err)
	require.NoError(t, testutil.GatherAndCompare(r, strings.NewReader(`# HELP zmq_received_bytes_total Bytes of the messages received, without framing.
# TYPE zmq_received_bytes_total counter
zmq_received_bytes_total{name="in",type="PULL"} 13
zmq_received_bytes_total{name="out",type="PUSH"} 0
`), "zmq_received_bytes_total"))
}

// Every field of Stats is exported, except the sum of two: one that is added needs a metric.
func TestEveryCountIsExported(t *testing.T) {
	t.Parallel()
	c, r := registered(t)
	a, _ := zmqtest.Pair(t, zmq.Pair, zmq.Pair)
	c.AddSocket("a", a)
	n, err := testutil.GatherAndCount(r)
	require.NoError(t, err)
	require.Equal(t, reflect.TypeFor[zmq.Stats]().NumField()-1, n)
}

// The dashboard has what Grafana requires, and asks only for metrics that there are.
func TestDashboard(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("dashboard.json")
	require.NoError(t, err)
	var dashboard struct {
		Title         string
		UID           string
		SchemaVersion int
		Panels        []struct {
			ID      int
			Title   string
			Type    string
			GridPos struct{ H, W, X, Y int }
			Targets []struct{ RefID, Expr, LegendFormat string }
		}
		Templating struct {
			List []struct{ Name, Type, Query string }
		}
	}
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	require.NoError(t, decoder.Decode(&dashboard))
	require.NotEmpty(t, dashboard.Title)
	require.NotEmpty(t, dashboard.UID)
	require.GreaterOrEqual(t, dashboard.SchemaVersion, 36)
	require.Equal(t, "datasource", dashboard.Templating.List[0].Type)

	c, r := registered(t)
	a, _ := zmqtest.Pair(t, zmq.Pair, zmq.Pair)
	c.AddSocket("a", a)
	families, err := r.Gather()
	require.NoError(t, err)
	exported := map[string]bool{}
	for _, f := range families {
		exported[f.GetName()] = false
	}
	ids := map[int]bool{}
	for _, p := range dashboard.Panels {
		require.False(t, ids[p.ID], "two panels have the ID %d", p.ID)
		ids[p.ID] = true
		require.NotEmpty(t, p.Title)
		require.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24, p.Title)
		require.NotZero(t, p.GridPos.H, p.Title)
		require.NotEmpty(t, p.Targets, p.Title)
		for _, target := range p.Targets {
			for _, name := range regexp.MustCompile(`zmq_\w+`).FindAllString(target.Expr, -1) {
				require.Contains(t, exported, name, p.Title)
				exported[name] = true
			}
		}
	}
	for name, shown := range exported {
		if !strings.Contains(name, "parts_total") {
			require.True(t, shown, "no panel shows %s", name)
		}
	}
}
