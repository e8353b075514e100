package compare

import (
	"bytes"
	_ "embed" // for the template
	"fmt"
	"html/template"
	"maps"
	"math"
	"slices"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/page"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

//go:embed compare.html
var pageText string

var pageTemplate = template.Must(template.New("compare").Parse(pageText))

// pageData is what the template shows.
type pageData struct {
	Style    template.CSS
	Old, New string // as at the heads of columns
	From, To string // the files
	Warnings []string
	Verdicts bool
	Counts   []pageCount
	Method   string
	Machine  []pageFact
	Units    []pageUnit
	Only     []pageOnly
	Data     any // for programs
}

type pageCount struct {
	Class, What string
	N           int
}

type pageFact struct {
	Key, Old, New string
	Differs       bool
}

type pageUnit struct {
	Unit, Direction string
	Rows            []pageRow
}

type pageRow struct {
	Name, Old, New, Change, Verdict, Failed, P, Class string
}

type pageOnly struct {
	In    string
	Names []string
}

// HTML returns the comparison as one page that needs no network and no scripts: every
// change, those that are more than chance marked. The sets are those that were compared.
func (r *Result) HTML(old, now *series.Set) ([]byte, error) {
	p := pageData{
		Style: page.Style, From: r.Old, To: r.New, Verdicts: r.Verdicts,
		Warnings: r.warnings(old, now), Machine: machines(old, now), Data: r.values(),
	}
	p.Old, p.New = r.labels()
	p.Method = fmt.Sprintf("Medians and their 95 %% confidence intervals of %d and %d runs. A change is marked that chance alone would show in less than one of twenty such comparisons: Mann-Whitney, Holm-corrected over the %d benchmarks of each unit.", r.Runs[0], r.Runs[1], r.Cells)
	if !r.Verdicts {
		p.Method = fmt.Sprintf("Medians and their 95 %% confidence intervals of %d and %d runs. Nothing is marked: what differs may be the machine.", r.Runs[0], r.Runs[1])
	}
	p.Counts = r.counts()
	for _, unit := range r.Units {
		one := pageUnit{Unit: unit}
		for i := range r.Changes {
			if c := &r.Changes[i]; c.Unit == unit {
				one.Rows = append(one.Rows, c.row(r.Verdicts))
			}
		}
		one.Direction = map[int]string{1: "more", -1: "less"}[direction(old, now, unit)]
		if len(one.Rows) > 0 {
			p.Units = append(p.Units, one)
		}
	}
	for _, only := range []pageOnly{{r.Old, r.OnlyOld}, {r.New, r.OnlyNew}} {
		if len(only.Names) > 0 {
			p.Only = append(p.Only, only)
		}
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		return nil, fmt.Errorf("the page cannot be made: %w", err)
	}
	return b.Bytes(), nil
}

// warnings are what makes the comparison doubtful.
func (r *Result) warnings(old, now *series.Set) (all []string) {
	for _, why := range r.Unlike {
		all = append(all, "The machines differ, so there are no verdicts: "+why+".")
	}
	for _, why := range r.Mixed {
		all = append(all, why+", so there are no verdicts.")
	}
	if r.NotPossible && r.Verdicts {
		all = append(all, r.tooFew())
	}
	for _, set := range []*series.Set{old, now} {
		for _, why := range slices.Concat(set.Partial, set.Unfit) {
			all = append(all, why+".")
		}
	}
	return all
}

// machines has what decides on whether two results may be compared, of both.
func machines(old, now *series.Set) (facts []pageFact) {
	keys := maps.Clone(old.Machine)
	maps.Copy(keys, now.Machine)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		a, b := old.Machine[key], now.Machine[key]
		facts = append(facts, pageFact{key, a, b, a != b && a != "" && b != ""})
	}
	return facts
}

// counts sums up the changes.
func (r *Result) counts() []pageCount {
	counts := []pageCount{{"better", "better", 0}, {"worse", "worse", 0}, {"changed", "changed", 0}, {"same", "without a significant change", 0}, {"worse", "past a --fail-on limit", len(r.Failed())}}
	for i := range r.Changes {
		switch c := &r.Changes[i]; c.class() {
		case "better":
			counts[0].N++
		case "worse":
			counts[1].N++
		case "changed":
			counts[2].N++
		default:
			counts[3].N++
		}
	}
	return slices.DeleteFunc(counts, func(c pageCount) bool { return c.N == 0 })
}

func (c *Change) class() string {
	switch {
	case c.Better > 0:
		return "better"
	case c.Better < 0:
		return "worse"
	case c.Changed:
		return "changed"
	}
	return "same"
}

func (c *Change) row(verdicts bool) pageRow {
	row := pageRow{
		Name: short(c.Name), Old: c.Old.String(c.Unit), New: c.New.String(c.Unit), Change: c.change(),
		Verdict: c.verdict(), Failed: c.failed(), Class: c.class(),
	}
	if verdicts {
		row.P = probabilityText(c.P)
	}
	return row
}

// values is what the page has for programs, in the units that go test prints.
func (r *Result) values() any {
	type one struct {
		Name    string   `json:"name"`
		Unit    string   `json:"unit"`
		Old     float64  `json:"old"`
		New     float64  `json:"new"`
		Percent *float64 `json:"percent"` // null: from 0
		P       float64  `json:"p"`
		Better  int      `json:"better"`
		Changed bool     `json:"changed"`
		Failed  string   `json:"failed,omitempty"`
	}
	v := struct {
		Schema  string `json:"schema"`
		Kind    string `json:"kind"`
		Old     string `json:"old"`
		New     string `json:"new"`
		Changes []one  `json:"changes"`
	}{Schema: record.Schema, Kind: "comparison", Old: r.Old, New: r.New}
	for i := range r.Changes {
		c := &r.Changes[i]
		old, unit := series.Usual(c.Old.Value, c.Unit)
		now, _ := series.Usual(c.New.Value, c.Unit)
		o := one{Name: c.Name, Unit: unit, Old: old, New: now, P: c.P, Better: c.Better, Changed: c.Changed, Failed: c.failed()}
		if !math.IsInf(c.Percent, 0) {
			o.Percent = &c.Percent
		}
		v.Changes = append(v.Changes, o)
	}
	return v
}
