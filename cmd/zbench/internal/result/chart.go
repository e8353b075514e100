package result

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// A Chart is drawn as SVG: lines over two axes, or bars if every line has one point. Its
// colors are classes of the page, so that they follow light and dark.
type Chart struct {
	Title        string
	X, Y         string // labels of the axes
	XLog, YLog   bool
	XName, YName func(float64) string // labels of ticks
	Ticks        []float64            // of X; none: chosen
	Lines        []Line
	Limit        float64 // of Y, an objective; 0: none
	LimitName    string
}

// A Line joins points in the order of their X.
type Line struct {
	Name   string
	Points []Point
}

// A Point is one value.
type Point struct{ X, Y float64 }

// The size in pixels. A phone shows it at three quarters of that, with larger letters.
const (
	chartWidth, chartHeight = 480, 300
	left, right, bottom     = 62, 24, 44
	lineHeight              = 18
	mostLines               = 8 // that a reader can tell apart
)

// SVG draws the chart.
func (c *Chart) SVG() string {
	for i := range c.Lines {
		slices.SortFunc(c.Lines[i].Points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	}
	if len(c.Lines) > mostLines {
		c.Title += fmt.Sprintf(" (the first %d of %d)", mostLines, len(c.Lines))
		c.Lines = c.Lines[:mostLines]
	}
	if !slices.ContainsFunc(c.Lines, func(l Line) bool { return len(l.Points) > 1 }) {
		return c.bars()
	}
	top := 36 + lineHeight*len(c.Lines)
	height := chartHeight + top
	var b strings.Builder
	c.begin(&b, height)
	for i, l := range c.Lines {
		y := 42 + lineHeight*i
		fmt.Fprintf(&b, `<line class="c%d d%d" x1="10" x2="34" y1="%d" y2="%d"/>%s<text x="42" y="%d">%s</text>`+"\n", i, i, y-4, y-4, mark(i, 22, float64(y-4)), y, html.EscapeString(l.Name))
	}
	x := c.axis(func(p Point) float64 { return p.X }, c.XLog, left, chartWidth-right)
	y := c.axis(func(p Point) float64 { return p.Y }, c.YLog, float64(height-bottom), float64(top+10))
	for _, v := range y.ticks() {
		at := y.at(v)
		fmt.Fprintf(&b, `<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/><text class="faint" text-anchor="end" x="%d" y="%.1f">%s</text>`+"\n", left, chartWidth-right, at, at, left-6, at+4, html.EscapeString(c.YName(v)))
	}
	ticks, last := c.Ticks, math.Inf(-1)
	if ticks == nil {
		ticks = x.ticks()
	}
	for _, v := range ticks {
		at := x.at(v)
		if at > chartWidth-right+1 { // of a choice that is larger than the data
			continue
		}
		fmt.Fprintf(&b, `<line class="grid" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/>`, at, at, top+10, height-bottom)
		if at-last > 50 {
			last = at
			fmt.Fprintf(&b, `<text class="faint" text-anchor="middle" x="%.1f" y="%d">%s</text>`, at, height-bottom+16, html.EscapeString(c.XName(v)))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, `<text class="faint" text-anchor="middle" x="%d" y="%d">%s</text>`+"\n", (left+chartWidth)/2, height-8, html.EscapeString(c.X))
	for i, l := range c.Lines {
		var path []string
		for _, p := range l.Points {
			path = append(path, fmt.Sprintf("%.1f,%.1f", x.at(p.X), y.at(p.Y)))
			b.WriteString(mark(i, x.at(p.X), y.at(p.Y)))
		}
		fmt.Fprintf(&b, `<polyline class="c%d d%d" points="%s"/>`+"\n", i, i, strings.Join(path, " "))
	}
	if at := y.at(c.Limit); c.Limit > 0 && at >= y.to && at <= y.from {
		fmt.Fprintf(&b, `<line class="limit" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/><text class="limit" x="%d" y="%.1f">%s</text>`+"\n", left, chartWidth-right, at, at, left+4, at-5, html.EscapeString(c.LimitName))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// mark draws the mark of a line: lines differ by shape as well as by color.
func mark(line int, x, y float64) string {
	points := [][2]float64{{-3, -3}, {3, -3}, {3, 3}, {-3, 3}} // a square
	switch line % 4 {
	case 0:
		return fmt.Sprintf(`<circle class="c%d" cx="%.1f" cy="%.1f" r="2.5"/>`, line, x, y)
	case 1:
		points = [][2]float64{{0, -4}, {3.5, 3}, {-3.5, 3}}
	case 2:
		points = [][2]float64{{0, -4}, {4, 0}, {0, 4}, {-4, 0}}
	}
	var at []string
	for _, p := range points {
		at = append(at, fmt.Sprintf("%.1f,%.1f", x+p[0], y+p[1]))
	}
	return fmt.Sprintf(`<polygon class="c%d" points="%s"/>`, line, strings.Join(at, " "))
}

func (c *Chart) begin(b *strings.Builder, height int) {
	fmt.Fprintf(b, `<svg class="chart" viewBox="0 0 %d %d" role="img"><title>%s</title>`+"\n", chartWidth, height, html.EscapeString(c.Title))
	fmt.Fprintf(b, `<text class="title" x="10" y="22">%s</text>`+"\n", html.EscapeString(c.Title))
}

// bars draws a bar for each line.
func (c *Chart) bars() string {
	most := 0.0
	for _, l := range c.Lines {
		most = max(most, l.Points[0].Y)
	}
	var b strings.Builder
	c.begin(&b, 36+38*len(c.Lines))
	for i, l := range c.Lines {
		y, v := 50+38*i, l.Points[0].Y
		fmt.Fprintf(&b, `<text x="10" y="%d">%s: %s</text><rect class="c%d" x="10" y="%d" width="%.1f" height="12"/>`+"\n",
			y-6, html.EscapeString(l.Name), html.EscapeString(c.YName(v)), i, y, max((chartWidth-20)*v/most, 1))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// An axis maps values to pixels.
type axis struct {
	low, high float64
	log       bool
	from, to  float64
}

func (c *Chart) axis(of func(Point) float64, log bool, from, to float64) axis {
	a := axis{math.Inf(1), math.Inf(-1), log, from, to}
	for _, l := range c.Lines {
		for _, p := range l.Points {
			a.low, a.high = min(a.low, of(p)), max(a.high, of(p))
		}
	}
	if c.Limit > 0 && log && from > to { // the objective is in sight
		a.low, a.high = min(a.low, c.Limit), max(a.high, c.Limit)
	}
	if log {
		a.low, a.high = a.low/1.2, a.high*1.2
	} else {
		a.low, a.high = 0, max(a.high*1.05, 1e-9)
	}
	return a
}

func (a axis) at(v float64) float64 {
	share := (v - a.low) / (a.high - a.low)
	if a.log {
		share = math.Log(v/a.low) / math.Log(a.high/a.low)
	}
	return a.from + share*(a.to-a.from)
}

// ticks returns round values: of a logarithmic axis 1, 2 and 5 times the powers of ten.
func (a axis) ticks() (all []float64) {
	if !a.log {
		step := math.Pow(10, math.Floor(math.Log10(a.high/4)))
		for _, times := range []float64{1, 2, 5, 10} {
			if a.high/(step*times) <= 6 {
				step *= times
				break
			}
		}
		for v := 0.0; v <= a.high; v += step {
			all = append(all, v)
		}
		return all
	}
	within := []float64{1, 2, 5}
	if math.Log10(a.high/a.low) > 2.5 {
		within = []float64{1}
	}
	for e := math.Floor(math.Log10(a.low)); e <= math.Log10(a.high); e++ {
		for _, times := range within {
			if v := times * math.Pow(10, e); v >= a.low && v <= a.high {
				all = append(all, v)
			}
		}
	}
	return all
}
