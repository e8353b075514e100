package report_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/page/browser"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/report"
)

// A page asks the network for nothing, and what results say is no markup in it.
func TestHTMLStandsAlone(t *testing.T) {
	t.Parallel()
	page, err := report.HTML(load(t, records(t)))
	require.NoError(t, err)
	text := string(page)
	require.NotContains(t, text, "<T>")
	require.Contains(t, text, "Model &lt;T&gt;")
	require.Contains(t, text, "zbench matrix --size=64 --transport=tcp")
	require.Contains(t, text, "steal 3 %")
	require.Equal(t, 2, strings.Count(text, "<svg "))
	for _, address := range regexp.MustCompile(`(?:src|href|url)\s*[=(]\s*["']?([^"')\s>]+)`).FindAllStringSubmatch(text, -1) {
		require.Fail(t, "the page refers to "+address[1])
	}
	for _, address := range regexp.MustCompile(`https?://[^"'\s<]+`).FindAllString(text, -1) {
		require.Equal(t, "http://www.w3.org/2000/svg", address)
	}
	again, err := report.HTML(load(t, records(t)))
	require.NoError(t, err)
	require.Equal(t, text, string(again))
}

// Percentiles are shown with the run that has them.
func TestHTMLOfSaturatedRuns(t *testing.T) {
	t.Parallel()
	data := load(t, records(t)).Records
	var b strings.Builder
	w := record.NewWriter(&b)
	for _, run := range data.Runs {
		if run.Cell.Verb == record.Lat {
			run.Saturated = run.Repeat == 1
			require.NoError(t, w.Run(run))
		}
	}
	page, err := report.HTML(load(t, b.String()))
	require.NoError(t, err)
	rows := regexp.MustCompile(`(?m)^<tr><td class="word">[126]</td>.*$`).FindAllString(string(page), -1)
	require.Len(t, rows, 6, "three runs of two rates")
	for i, row := range rows {
		require.Equal(t, i%3 == 0, strings.Contains(row, "<td></td>"), row)
	}
}

func TestHTMLInBrowser(t *testing.T) {
	t.Parallel()
	d := load(t, records(t))
	page, err := report.HTML(d)
	require.NoError(t, err)
	browser.Check(t, page, 2)
}
