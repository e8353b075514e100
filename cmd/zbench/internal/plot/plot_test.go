package plot_test

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plot"
)

func line(name string, values ...float64) plot.Line {
	l := plot.Line{Name: name}
	x := 1.0
	for _, v := range values {
		l.Points = append(l.Points, plot.Point{X: x, Y: v, Low: 0.9 * v, High: 1.1 * v})
		x *= 10
	}
	return l
}

func figure(lines ...plot.Line) plot.Figure {
	return plot.Figure{
		Name: "f", Title: "A & B < C", X: plot.Axis{Label: "x", Log: true}, Y: plot.Axis{Label: "y", Log: true},
		Lines: lines, Caption: []string{"made by <hand>"},
	}
}

func TestSVG(t *testing.T) {
	t.Parallel()
	many := []plot.Line{line("one", 1, 20, 300), line("two", 2, 30, 500)}
	for i := range 9 { // more than there are colours
		many = append(many, line(strings.Repeat("long ", i+1), 3, float64(40+i)))
	}
	floor := line("floor", 5, 6)
	floor.Floor = true
	linear := figure(line("a", 1, 2))
	linear.Y.Log, linear.Level = false, 100
	for name, f := range map[string]plot.Figure{
		"many": figure(many...), "floor": figure(line("a", 1, 2), floor), "linear": linear, "point": figure(line("a", 7)),
		"tiny": figure(line("a", 1e-9, 1e-8)), "flat": figure(line("a", 5, 5, 5)),
	} {
		svg, err := f.SVG()
		require.NoError(t, err, name)
		again, err := f.SVG()
		require.NoError(t, err)
		require.Equal(t, string(svg), string(again), name)
		text := wellFormed(t, svg)
		require.Contains(t, text, "A & B < C")
		require.Contains(t, text, "made by <hand>")
		require.NotContains(t, string(svg), "NaN")
		require.NotContains(t, string(svg), "Inf")
		// A colour in a style would stay as it is on a dark background.
		require.NotRegexp(t, `style="[^"]*#[0-9a-fA-F]{6}`, string(svg), name)
		require.Contains(t, string(svg), "prefers-color-scheme: dark")
	}
}

// wellFormed returns the text of an SVG.
func wellFormed(t *testing.T, svg []byte) string {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(string(svg)))
	var text strings.Builder
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return text.String()
		}
		require.NoError(t, err)
		if chars, ok := token.(xml.CharData); ok {
			text.Write(chars)
		}
	}
}

func TestWhatCannotBeDrawn(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]plot.Figure{
		"there is nothing to draw":     figure(),
		"has no points":                figure(plot.Line{Name: "a"}),
		"a point that is not a number": figure(line("a", math.NaN())),
		"a point that is not a numb":   figure(line("a", math.Inf(1))),
		"at or below 0":                figure(line("a", 0)),
	} {
		_, err := f.SVG()
		require.ErrorContains(t, err, want)
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{
		0: "0", 1: "1", 1.5: "1.5", 12.345: "12.35", 99.996: "100", 999.9: "1 k", 1e3: "1 k", 2.5e6: "2.5 M", 3e9: "3 G", 0.001: "0.001",
	} {
		require.Equal(t, want, plot.Short(v))
	}
	for v, want := range map[float64]string{1: "1 ns", 999.9: "1 µs", 1500: "1.5 µs", 123456: "123 µs", 2e6: "2 ms", 3e9: "3 s"} {
		require.Equal(t, want, plot.Nanoseconds(v))
	}
	for v, want := range map[int]string{0: "0 B", 64: "64 B", 1500: "1500 B", 1024: "1 KiB", 65536: "64 KiB", 3 << 20: "3 MiB"} {
		require.Equal(t, want, plot.Bytes(v))
	}
}
