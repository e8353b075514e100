package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plot"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

// isSweep tells the sweep over the sizes of libzmq's batches from an engine that has
// its best ones.
func isSweep(s *series.Series) bool { return has(s, "inbatch", "outbatch") && !has(s, "engine") }

// usualBatch is how many bytes libzmq reads and writes at once.
const usualBatch = "8192"

// ofUsual returns the same with libzmq's own sizes, or nil.
func ofUsual(d *series.Set, s *series.Series) *series.Series {
	return d.Sibling(s, map[string]string{"inbatch": usualBatch, "outbatch": usualBatch})
}

// sweep has a row for each pair of sizes of libzmq's batches, and columns for the
// sizes of the messages.
func sweep(d *series.Set) *Table {
	all := ours(d, isSweep)
	if len(all) == 0 {
		return nil
	}
	var sizes []string
	var order [][3]string // pattern, in, out
	cells := map[[3]string]map[string]*series.Series{}
	runs := math.MaxInt
	for _, s := range all {
		row := [3]string{s.Keys["pattern"], s.Keys["inbatch"], s.Keys["outbatch"]}
		if cells[row] == nil {
			cells[row] = map[string]*series.Series{}
			order = append(order, row)
		}
		cells[row][s.Keys["size"]] = s
		if !slices.Contains(sizes, s.Keys["size"]) {
			sizes = append(sizes, s.Keys["size"])
		}
		runs = min(runs, len(s.Iters))
	}
	head := table.Row{"pattern", "in", "out"}
	for _, size := range sizes {
		head = append(head, size+" B, ns/msg", "of the usual")
	}
	var rows []table.Row
	for _, key := range order {
		row := table.Row{key[0], batchSize(key[1]), batchSize(key[2])}
		for _, size := range sizes {
			s := cells[key][size]
			if s == nil {
				row = append(row, "", "")
				continue
			}
			ratio := ""
			if of := ofUsual(d, s); of != nil && of != s {
				ratio = times(s, of, timeUnit(s))
			}
			row = append(row, nanoseconds(s, timeUnit(s)), ratio)
		}
		rows = append(rows, row)
	}
	return newTable(3, head, rows).note(runs).sayCommon(all)
}

// batchSize shows a size in bytes.
func batchSize(text string) string {
	n, err := strconv.Atoi(text)
	if err != nil {
		return text
	}
	return plot.Bytes(n)
}

// sweepFigure shows how much faster messages of each size go with larger batches, in
// and out alike.
func sweepFigure(d *series.Set) (plot.Figure, error) {
	all := slices.DeleteFunc(ours(d, isSweep), func(s *series.Series) bool { return s.Keys["inbatch"] != s.Keys["outbatch"] })
	if len(all) == 0 {
		return plot.Figure{}, errNothing
	}
	slices.SortStableFunc(all, func(a, b *series.Series) int { return cmp.Compare(number(a, "size"), number(b, "size")) })
	g := &graph{}
	for _, s := range all {
		if s.Keys["pattern"] == all[0].Keys["pattern"] && s.Keys["mode"] == all[0].Keys["mode"] {
			g.ofC(batchSize(s.Keys["size"]), number(s, "inbatch"), s, ofUsual(d, s))
		}
	}
	axis := sizeAxis(g.lines)
	axis.Label = "bytes that libzmq reads and writes at once"
	return g.figure(d, plot.Figure{
		Title: sockets(all[0].Keys["pattern"]) + " over tcp: larger batches of libzmq's",
		X:     axis, Y: plot.Axis{Label: "throughput, % of that with 8 KiB"}, Level: 100,
	})
}
