package plot

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// dashes are those of the floors, of which there may be several.
var dashes = [][]vg.Length{{5, 3}, {2, 2}, {8, 3, 2, 3}, {1, 3}}

// Marks differ with the colours, for those who tell colours apart badly.
var marks = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.BoxGlyph{}, draw.TriangleGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.PyramidGlyph{}, draw.PlusGlyph{}, draw.CrossGlyph{},
}

// looks returns how the n-th line in colour, or the n-th floor, is drawn.
func (l Line) looks(n int) (draw.LineStyle, draw.GlyphStyle) {
	if l.Floor {
		return draw.LineStyle{Color: ink, Width: 1.5, Dashes: dashes[n%len(dashes)]}, draw.GlyphStyle{Color: ink, Radius: 2, Shape: draw.CrossGlyph{}}
	}
	c := colours[n%len(colours)]
	return draw.LineStyle{Color: c, Width: 1.75}, draw.GlyphStyle{Color: c, Radius: 3.2, Shape: marks[n%len(marks)]}
}

// points is what gonum asks for.
type points []Point

func (p points) Len() int                         { return len(p) }
func (p points) XY(i int) (x, y float64)          { return p[i].X, p[i].Y }
func (p points) YError(i int) (low, high float64) { return p[i].Y - p[i].Low, p[i].High - p[i].Y }

func (l Line) add(p *plot.Plot, n int) error {
	how, mark := l.looks(n)
	bars, err := plotter.NewYErrorBars(points(l.Points))
	if err != nil {
		return err
	}
	bars.LineStyle = draw.LineStyle{Color: how.Color, Width: 0.75}
	bars.CapWidth = 4
	line, err := plotter.NewLine(points(l.Points))
	if err != nil {
		return err
	}
	line.LineStyle = how
	scatter, err := plotter.NewScatter(points(l.Points))
	if err != nil {
		return err
	}
	scatter.GlyphStyle = mark
	p.Add(bars, line, scatter)
	return nil
}

// entry is a line's name in the legend, and where it stands in its row.
type entry struct {
	line Line
	n    int
	at   vg.Length
}

type row []entry

const swatch vg.Length = 26

// numbers counts the lines in colour, and the floors, each from 0.
func (f Figure) numbers() []int {
	numbers := make([]int, len(f.Lines))
	colours, floors := 0, 0
	for i, l := range f.Lines {
		if l.Floor {
			numbers[i] = floors
			floors++
		} else {
			numbers[i] = colours
			colours++
		}
	}
	return numbers
}

// legend lays the names out in rows that are not wider than room.
func (f Figure) legend(room vg.Length) []row {
	if len(f.Lines) == 1 {
		return nil
	}
	var rows []row
	var current row
	at := vg.Length(0)
	for i, n := range f.numbers() {
		l := f.Lines[i]
		wide := swatch + style(ink, letter, false).Width(l.Name) + 14
		if len(current) > 0 && at+wide > room+14 {
			rows, current, at = append(rows, current), nil, 0
		}
		current = append(current, entry{l, n, at})
		at += wide
	}
	return append(rows, current)
}

func (r row) draw(c draw.Canvas, y vg.Length) {
	for _, e := range r {
		x := margin + e.at
		how, mark := e.line.looks(e.n)
		c.StrokeLine2(how, x, y+letter/3, x+swatch-6, y+letter/3)
		c.DrawGlyph(mark, vg.Point{X: x + (swatch-6)/2, Y: y + letter/3})
		c.FillText(style(ink, letter, false), vg.Point{X: x + swatch, Y: y}, e.line.Name)
	}
}
