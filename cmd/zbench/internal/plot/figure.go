// Package plot draws figures as SVG: lines over two axes, with a legend above and a
// caption below them. The same figure gives the same bytes. The text is legible at
// the width of a phone, and the colours follow the reader's choice of light or dark.
package plot

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	xfnt "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Figure is what is drawn.
type Figure struct {
	Name    string // of its file
	Title   string
	X, Y    Axis
	Lines   []Line
	Level   float64  // of a horizontal line to compare with; 0: none
	Caption []string // lines of at most 70 letters
}

// An Axis is logarithmic or linear; a linear one begins at 0.
type Axis struct {
	Label string
	Log   bool
	Ticks []Tick // nil: chosen by the range
}

// A Tick has a label at a place of an axis.
type Tick struct {
	Value float64
	Label string
}

// A Line joins points, in the order of their X.
type Line struct {
	Name   string
	Floor  bool // what the others are compared with: dashed, and in no colour
	Points []Point
}

// A Point has a value, and the interval in which it is known.
type Point struct{ X, Y, Low, High float64 }

// The size in units that a browser shows as pixels. A phone shows it at three
// quarters of that, and then a letter is still 9 pixels high.
const (
	width  vg.Length = 480
	height vg.Length = 340
	letter vg.Length = 12
	margin vg.Length = 10
)

// SVG draws the figure.
func (f Figure) SVG() ([]byte, error) {
	if err := f.validate(); err != nil {
		return nil, fmt.Errorf("plot %q: %w", f.Name, err)
	}
	legend := f.legend(width - 2*margin)
	above := margin + 1.6*letter + vg.Length(len(legend))*1.4*letter + 4
	below := margin + vg.Length(len(f.Caption))*1.35*letter*0.9
	whole := height + above + below - 60
	svg := vgsvg.NewWith(vgsvg.UseWH(width, whole))
	canvas := draw.New(svg)
	canvas.FillPolygon(paper, []vg.Point{{}, {X: width}, {X: width, Y: whole}, {Y: whole}})
	canvas.FillText(style(ink, letter+2, true), vg.Point{X: margin, Y: whole - margin - letter}, f.Title)
	for i, row := range legend {
		row.draw(canvas, whole-margin-1.6*letter-vg.Length(i+1)*1.4*letter)
	}
	for i, line := range f.Caption {
		canvas.FillText(style(faint, letter*0.9, false), vg.Point{X: margin, Y: below - vg.Length(i+1)*1.35*letter*0.9 + 2}, line)
	}
	p, err := f.plot()
	if err != nil {
		return nil, fmt.Errorf("plot %q: %w", f.Name, err)
	}
	p.Draw(draw.Crop(canvas, margin, -margin, below+6, -above))
	var b strings.Builder
	if _, err := svg.WriteTo(&b); err != nil {
		return nil, err
	}
	return themed(b.String(), f.Title, f.describe()), nil
}

func (f Figure) validate() error {
	if len(f.Lines) == 0 {
		return errors.New("there is nothing to draw")
	}
	for _, l := range f.Lines {
		if len(l.Points) == 0 {
			return fmt.Errorf("line %q has no points", l.Name)
		}
		for _, p := range l.Points {
			for _, v := range []float64{p.X, p.Y, p.Low, p.High} {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return fmt.Errorf("line %q has a point that is not a number", l.Name)
				}
			}
			if f.X.Log && p.X <= 0 || f.Y.Log && (p.Y <= 0 || p.Low <= 0) {
				return fmt.Errorf("line %q has a point at or below 0 on a logarithmic axis", l.Name)
			}
		}
	}
	return nil
}

// describe returns the values in words, for those who cannot see the figure.
func (f Figure) describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s over %s.", f.Y.Label, f.X.Label)
	for _, l := range f.Lines {
		fmt.Fprintf(&b, " %s:", l.Name)
		for i, p := range l.Points {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, " %.4g at %s", p.Y, f.X.name(p.X))
		}
		b.WriteByte('.')
	}
	return b.String()
}

// name returns the label of the tick at v, or v as a number.
func (a Axis) name(v float64) string {
	for _, t := range a.Ticks {
		if t.Value == v {
			return t.Label
		}
	}
	return Short(v)
}

// style is for text in a colour.
func style(c color.Color, size vg.Length, bold bool) text.Style {
	f := font.From(plot.DefaultFont, size)
	f.Variant = "Sans"
	if bold {
		f.Weight = xfnt.WeightBold
	}
	return text.Style{Color: c, Font: f, Handler: plot.DefaultTextHandler}
}

func (f Figure) plot() (*plot.Plot, error) {
	p := plot.New()
	p.BackgroundColor = paper
	for _, side := range []struct {
		axis *plot.Axis
		of   Axis
	}{{&p.X, f.X}, {&p.Y, f.Y}} {
		side.axis.Label.Text = side.of.Label
		side.axis.Label.TextStyle = labelStyle(side.axis.Label.TextStyle, ink)
		side.axis.Tick.Label = labelStyle(side.axis.Tick.Label, faint)
		side.axis.LineStyle.Color = faint
		side.axis.Tick.LineStyle.Color = faint
		side.axis.Padding = 4
		side.axis.Label.Padding = 5
		if side.of.Log {
			side.axis.Scale = plot.LogScale{}
		}
	}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = rule, rule
	p.Add(grid)
	f.limits(p)
	if f.Level != 0 {
		level, err := plotter.NewLine(plotter.XYs{{X: p.X.Min, Y: f.Level}, {X: p.X.Max, Y: f.Level}})
		if err != nil {
			return nil, err
		}
		level.Color, level.Width, level.Dashes = ink, 1.5, dashes[0]
		p.Add(level)
	}
	for i, n := range f.numbers() {
		if err := f.Lines[i].add(p, n); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// labelStyle changes what a label of an axis has; its alignment stays.
func labelStyle(s text.Style, c color.Color) text.Style {
	s.Color = c
	s.Font.Variant = "Sans"
	s.Font.Size = letter
	return s
}

// limits sets ranges and ticks. Gonum would begin a linear axis at the least value.
func (f Figure) limits(p *plot.Plot) {
	var xs, ys []float64
	for _, l := range f.Lines {
		for _, pt := range l.Points {
			xs = append(xs, pt.X)
			ys = append(ys, pt.Low, pt.Y, pt.High)
		}
	}
	if f.Level != 0 {
		ys = append(ys, f.Level)
	}
	f.X.apply(&p.X, slices.Min(xs), slices.Max(xs), 1.25)
	f.Y.apply(&p.Y, slices.Min(ys), slices.Max(ys), 1.15)
}

func (a Axis) apply(to *plot.Axis, low, high, room float64) {
	if a.Log {
		to.Min, to.Max = low/room, high*room
	} else {
		to.Min, to.Max = 0, high*1.05
		if high == 0 {
			to.Max = 1
		}
	}
	ticks := a.Ticks
	if ticks == nil {
		ticks = chooseTicks(to.Min, to.Max, a.Log)
	}
	var list plot.ConstantTicks
	for _, t := range ticks {
		if t.Value >= to.Min && t.Value <= to.Max {
			list = append(list, plot.Tick{Value: t.Value, Label: t.Label})
		}
	}
	to.Tick.Marker = list
}
