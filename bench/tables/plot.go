package main

import (
	"bytes"
	"fmt"
	"html"
	"slices"
	"strings"
)

// The layout of a plot, in pixels.
const (
	plotWidth  = 640
	labelWidth = 190
	valueWidth = 90
	barHeight  = 22
	barStep    = 32
	plotTop    = 42
)

const style = `text{font:13px sans-serif;fill:#1f2328}.title{font-weight:bold}.bar{fill:#57606a}.ours{fill:#0969da}.interval{stroke:#1f2328}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.bar{fill:#8b949e}.ours{fill:#58a6ff}.interval{stroke:#e6edf3}}`

// bars draws one column as an SVG with a bar per row and its 95 % confidence
// interval. The bars of this binding have a color of their own.
func (sp spec) bars(s *set) ([]byte, error) {
	at := slices.IndexFunc(sp.columns, func(c column) bool { return c.head == sp.plot })
	if at < 0 {
		return nil, fmt.Errorf("the table %s has no column to plot", sp.name)
	}
	rows, _, err := sp.accepted(s)
	if err != nil {
		return nil, err
	}
	c := sp.columns[at]
	rows = slices.DeleteFunc(rows, func(r row) bool { return len(r.series.values[c.unit]) == 0 })
	most := 0.0
	for _, row := range rows {
		most = max(most, row.series.bounds(c.unit)[2])
	}
	var b bytes.Buffer
	height := plotTop + barStep*len(rows)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img">`+"\n<style>%s</style>\n", plotWidth, height, style)
	fmt.Fprintf(&b, `<text class="title" x="8" y="22">%s: %s</text>`+"\n", html.EscapeString(sp.title), html.EscapeString(c.head))
	for i, row := range rows {
		y := plotTop + barStep*i
		bounds := row.series.bounds(c.unit)
		x := func(i int) float64 {
			return labelWidth + (plotWidth-labelWidth-valueWidth)*bounds[i]/most
		}
		class := "bar"
		if row.series.keys["impl"] == "go" {
			class = "bar ours"
		}
		fmt.Fprintf(&b, `<text x="8" y="%d">%s</text>`+"\n", y+16, html.EscapeString(strings.ReplaceAll(strings.Join(row.words, ", "), "`", "")))
		fmt.Fprintf(&b, `<rect class="%s" x="%d" y="%d" width="%.1f" height="%d"/>`+"\n", class, labelWidth, y, x(1)-labelWidth, barHeight)
		fmt.Fprintf(&b, `<path class="interval" d="M%.1f %dH%.1f"/>`+"\n", x(0), y+barHeight/2, x(2))
		fmt.Fprintf(&b, `<text x="%.1f" y="%d">%s</text>`+"\n", x(2)+8, y+16, si(row.series, c.unit, 1))
	}
	b.WriteString("</svg>\n")
	return b.Bytes(), nil
}

// bounds are the low bound, the median and the high bound of the 95 % interval, or of
// the values if there are too few for an interval.
func (one *series) bounds(unit string) [3]float64 {
	sum, values := one.median(unit), one.values[unit]
	return [3]float64{max(sum.Lo, slices.Min(values)), sum.Center, min(sum.Hi, slices.Max(values))}
}
