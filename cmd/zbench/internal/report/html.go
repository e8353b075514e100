package report

import (
	"bytes"
	_ "embed" // for the template
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/page"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

//go:embed report.html
var pageText string

var pageTemplate = template.Must(template.New("report").Parse(pageText))

// pageData is what the template shows.
type pageData struct {
	Style     template.CSS
	From      string
	Warnings  []string
	Disturbed []string // the workloads with warnings of their own
	Env       [][2]string
	Commands  []string // of zbench
	Tables    []pageTable
	Plots     []template.HTML
	Runs      []pageTable
	Data      any // for programs: the medians and all values
}

type pageTable struct {
	Name, Title string
	Words       int
	Head        []string
	Rows        [][]string
	Notes       []string
}

// titles are the headings of the tables where their names say too little.
var titles = map[string]string{"load": "Latency under load"}

func title(name string) string {
	if t := titles[name]; t != "" {
		return t
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// HTML returns the report as one page that needs no network and no scripts.
func HTML(d *series.Set) ([]byte, error) {
	p := pageData{Style: page.Style, From: d.From, Data: values(d)}
	for _, why := range [][]string{d.Instrumented, d.Partial, d.Mixed} {
		p.Warnings = append(p.Warnings, why...)
	}
	if d.Records == nil { // of records the doubts, and what disturbed each run, are below
		p.Warnings = append(p.Warnings, d.Unfit...)
	}
	for _, line := range d.Env {
		key, value, _ := strings.Cut(line, ": ")
		if key == "doubt" {
			p.Warnings = append(p.Warnings, value)
			continue
		}
		p.Env = append(p.Env, [2]string{key, value})
	}
	if lines, disturbed := runWarnings(d); disturbed > 0 {
		p.Disturbed = lines
		p.Warnings = append(p.Warnings, fmt.Sprintf("%d of %d runs were disturbed.", disturbed, len(d.Records.Runs)))
	}
	for _, t := range All(d) {
		if t.Name != "environment" {
			p.Tables = append(p.Tables, t.page())
		}
	}
	all, err := Figures(d)
	if err != nil {
		return nil, err
	}
	for _, f := range all {
		svg, err := f.SVG()
		if err != nil {
			return nil, err
		}
		// What plot makes has its texts escaped.
		p.Plots = append(p.Plots, template.HTML(svg))
	}
	if d.Records != nil {
		for _, plan := range d.Records.Plans {
			p.Commands = append(p.Commands, plan.Line())
		}
	}
	p.Runs = repeats(d)
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		return nil, fmt.Errorf("the page cannot be made: %w", err)
	}
	return b.Bytes(), nil
}

func (t *Table) page() pageTable {
	p := pageTable{Name: t.Name, Title: title(t.Name), Words: t.left, Notes: t.Notes}
	for _, cell := range t.head {
		p.Head = append(p.Head, fmt.Sprint(cell))
	}
	for _, row := range t.rows {
		var cells []string
		for _, cell := range row {
			cells = append(cells, fmt.Sprint(cell))
		}
		p.Rows = append(p.Rows, cells)
	}
	return p
}

// runWarnings are those of the records: of each cell, those of its runs.
func runWarnings(d *series.Set) (lines []string, disturbed int) {
	if d.Records == nil {
		return nil, 0
	}
	for _, cell := range d.Records.Cells() {
		var texts []string
		of := 0
		runs := d.Records.Of(cell)
		for _, run := range runs {
			if len(run.Warnings) > 0 {
				of++
			}
			for _, w := range run.Warnings {
				if !slices.Contains(texts, w) {
					texts = append(texts, w)
				}
			}
		}
		if of > 0 {
			disturbed += of
			lines = append(lines, fmt.Sprintf("%s: %d of %d runs: %s", cell, of, len(runs), strings.Join(texts, "; ")))
		}
	}
	return lines, disturbed
}

// repeats is a table of every run for each series.
func repeats(d *series.Set) []pageTable {
	var all []pageTable
	for _, s := range d.Series {
		t := pageTable{Title: s.Name, Words: 1, Head: []string{"run"}}
		for _, unit := range s.UnitsInOrder() {
			_, name := series.Usual(0, unit)
			t.Head = append(t.Head, name)
		}
		for i := range s.Iters {
			row := []string{fmt.Sprint(i + 1)}
			for _, unit := range s.UnitsInOrder() {
				cell := ""
				if value, ok := s.Of(i, unit); ok {
					value, _ := series.Usual(value, unit)
					cell = fmt.Sprintf("%.5g", value)
					if value >= 1e4 {
						cell = fmt.Sprintf("%.0f", value)
					}
				}
				row = append(row, cell)
			}
			t.Rows = append(t.Rows, row)
		}
		all = append(all, t)
	}
	return all
}

// values is what the page has for programs.
func values(d *series.Set) any {
	type one struct {
		Name   string               `json:"name"`
		Values map[string][]float64 `json:"values"`
	}
	v := struct {
		Schema  string       `json:"schema"`
		Kind    string       `json:"kind"`
		From    string       `json:"from"`
		Env     []string     `json:"env,omitempty"`
		Results []one        `json:"results"`
		Runs    []record.Run `json:"runs,omitempty"`
	}{Schema: record.Schema, Kind: "report", From: d.From, Env: d.Env}
	for _, s := range d.Series {
		o := one{s.Name, map[string][]float64{}}
		for unit, list := range s.Values {
			_, name := series.Usual(0, unit)
			for _, x := range list {
				usual, _ := series.Usual(x, unit)
				o.Values[name] = append(o.Values[name], usual)
			}
		}
		v.Results = append(v.Results, o)
	}
	if d.Records != nil {
		v.Runs = d.Records.Runs
	}
	return v
}
