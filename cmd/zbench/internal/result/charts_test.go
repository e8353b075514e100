package result_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/result"
)

// The charts of a page show the objective as a line, every run, and lines that differ by shape
// as well as by color.
func TestChartsOfAPage(t *testing.T) {
	t.Parallel()
	ms := time.Millisecond
	d := data(open(t, "tcp", 1000, false, ms, 2*ms, 3*ms), open(t, "tcp", 2000, false, ms, 2*ms, 3*ms))
	var page bytes.Buffer
	require.NoError(t, result.HTML(&page, d))
	_, svg, _ := strings.Cut(page.String(), "<title>Latency over time: ")
	svg, _, _ = strings.Cut(svg, "</svg>")
	for _, run := range []string{"p99, run 1<", "p99, run 2<", "p99, run 3<"} {
		require.Contains(t, svg, run)
	}
	require.Contains(t, svg, `<text class="limit"`)
	require.Contains(t, svg, "p99&lt;1ms")
	require.Contains(t, svg, "<polygon")
	require.Contains(t, svg, `<polyline class="c1 d1"`)
	_, against, _ := strings.Cut(page.String(), "<title>Latency against load")
	require.Contains(t, against, `class="limit"`)
}
