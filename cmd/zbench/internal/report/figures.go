package report

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plot"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

// errNothing is for a plot that the result has nothing for.
var errNothing = errors.New("no results")

// The plots by name. Each fails with errNothing when the result has nothing for it.
var figures = []struct {
	name string
	make func(*series.Set) (plot.Figure, error)
}{
	{"throughput-routerrouter", func(d *series.Set) (plot.Figure, error) { return throughput(d, "routerrouter") }},
	{"throughput-pushpull", func(d *series.Set) (plot.Figure, error) { return throughput(d, "pushpull") }},
	{"modes-routerrouter", func(d *series.Set) (plot.Figure, error) { return modesOfC(d, "routerrouter") }},
	{"modes-pushpull", func(d *series.Set) (plot.Figure, error) { return modesOfC(d, "pushpull") }},
	{"transports", transportsBySize},
	{"latency", latencyFigure},
	{"load", loadFigure},
}

// Figures returns all plots that the result has something for.
func Figures(d *series.Set) ([]plot.Figure, error) {
	var all []plot.Figure
	for _, f := range figures {
		made, err := figure(d, f.name)
		if errors.Is(err, errNothing) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, made)
	}
	return all, nil
}

// figure makes the plot with this name.
func figure(d *series.Set, name string) (plot.Figure, error) {
	for _, f := range figures {
		if f.name != name {
			continue
		}
		made, err := f.make(d)
		if err != nil {
			return made, fmt.Errorf("%s has nothing for plot %q: %w", d.From, name, err)
		}
		made.Name = name
		return made, nil
	}
	return plot.Figure{}, fmt.Errorf("there is no plot %q", name)
}

// A graph collects lines from series.
type graph struct {
	lines []*plot.Line
	runs  int // the least that a point has
}

// add adds a point to the line with this name. What no logarithmic axis has is left
// out: the table shows it.
func (g *graph) add(name string, floor bool, p plot.Point, runs int) {
	for _, v := range []float64{p.X, p.Y, p.High} {
		if math.IsNaN(v) || math.IsInf(v, 0) || v <= 0 {
			return
		}
	}
	if !(p.Low > 0) { // nor for not a number
		p.Low = p.Y
	}
	if g.runs == 0 || runs < g.runs {
		g.runs = runs
	}
	for _, l := range g.lines {
		if l.Name == name {
			l.Points = append(l.Points, p)
			return
		}
	}
	g.lines = append(g.lines, &plot.Line{Name: name, Floor: floor, Points: []plot.Point{p}})
}

// measured adds a unit of a series, times a factor.
func (g *graph) measured(name string, floor bool, x float64, s *series.Series, unit string, factor float64) {
	if !s.Has(unit) {
		return
	}
	low, center, high := s.Range(unit)
	g.add(name, floor, plot.Point{X: x, Y: factor * center, Low: factor * low, High: factor * high}, len(s.Values[unit]))
}

// ofC adds the throughput of a series in percent of its floor's, from the times.
func (g *graph) ofC(name string, x float64, s, floor *series.Series) {
	const unit = "sec/msg"
	if floor == nil || !s.Has(unit) || !floor.Has(unit) {
		return
	}
	of, _ := floor.Median(unit)
	low, center, high := s.Range(unit)
	g.add(name, false, plot.Point{X: x, Y: 100 * of / center, Low: 100 * of / high, High: 100 * of / low}, len(s.Values[unit]))
}

// spans reports whether a line has two points: one point is better off in a table.
func (g *graph) spans() bool {
	return slices.ContainsFunc(g.lines, func(l *plot.Line) bool {
		return slices.ContainsFunc(l.Points, func(p plot.Point) bool { return p.X != l.Points[0].X })
	})
}

// figure finishes a graph; caption comes before what all captions say.
func (g *graph) figure(d *series.Set, f plot.Figure, caption ...string) (plot.Figure, error) {
	if !g.spans() {
		return f, errNothing
	}
	for _, l := range g.lines {
		slices.SortStableFunc(l.Points, func(a, b plot.Point) int { return cmp.Compare(a.X, b.X) })
		f.Lines = append(f.Lines, *l)
	}
	f.Caption = append(caption, fmt.Sprintf("Medians of %d runs, bars: 95 %% confidence interval.", g.runs))
	if g.runs < 6 {
		f.Caption[len(f.Caption)-1] = fmt.Sprintf("Medians of %d runs, bars: the least and the most.", g.runs)
	}
	f.Caption = append(f.Caption, where(d)...)
	return f, nil
}

// where names the machine and the versions.
func where(d *series.Set) []string {
	var words []string
	for _, key := range []string{"cpu", "cores", "go", "libzmq"} {
		for _, line := range d.Env {
			name, value, _ := strings.Cut(line, ": ")
			if name != key {
				continue
			}
			value, _, _ = strings.Cut(value, " linux/")
			switch key {
			case "cores":
				value += " cores"
			case "libzmq":
				if !strings.HasPrefix(value, "libzmq") {
					value = "libzmq " + value
				}
			}
			words = append(words, value)
			break
		}
	}
	if len(words) == 0 {
		return nil
	}
	return wrap(strings.Join(words, ", "), 72)
}

// wrap breaks a text into lines.
func wrap(text string, width int) []string {
	lines := []string{""}
	for word := range strings.FieldsSeq(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case len(*last)+1+len(word) > width:
			lines = append(lines, word)
		default:
			*last += " " + word
		}
	}
	return lines
}

// sizeAxis has a tick for each size that was measured, where there is room.
func sizeAxis(lines []*plot.Line) plot.Axis {
	axis := plot.Axis{Label: "size of a message", Log: true}
	var sizes []float64
	for _, l := range lines {
		for _, p := range l.Points {
			if !slices.Contains(sizes, p.X) {
				sizes = append(sizes, p.X)
			}
		}
	}
	slices.Sort(sizes)
	labelled := 0.0
	for _, size := range sizes {
		label := plot.Bytes(int(size))
		// Nearer to the one before than a label is wide, as a share of the axis.
		if labelled > 0 && math.Log(size/labelled) < 0.095*math.Log(sizes[len(sizes)-1]/sizes[0]) {
			label = ""
		} else {
			labelled = size
		}
		axis.Ticks = append(axis.Ticks, plot.Tick{Value: size, Label: label})
	}
	return axis
}

// number is the value of a key that is one; 0 if it is not there.
func number(s *series.Series, key string) float64 {
	n, err := strconv.ParseFloat(s.Keys[key], 64)
	if err != nil {
		return 0
	}
	return n
}

// plain reports whether a name has these keys and no others, so that what is
// measured in another way does not come between.
func plain(s *series.Series, keys ...string) bool {
	for key := range s.Keys {
		if !slices.Contains(keys, key) {
			return false
		}
	}
	return true
}

// socketNames are how a pattern's sockets are called.
var socketNames = map[string]string{
	"routerrouter": "ROUTER to ROUTER", "pushpull": "PUSH to PULL", "pubsub": "PUB to SUB", "dealerrouter": "DEALER and ROUTER",
	"reqrep": "REQ and REP", "dealerdealer": "DEALER and DEALER", "pair": "PAIR and PAIR",
}

func sockets(pattern string) string {
	if name := socketNames[pattern]; name != "" {
		return name
	}
	return pattern
}
