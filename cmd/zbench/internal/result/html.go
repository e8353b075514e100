package result

import (
	_ "embed" // for the template
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

//go:embed report.html
var pageText string

var pageTemplate = template.Must(template.New("report").Funcs(template.FuncMap{"flags": flags}).Parse(pageText))

var flagName = regexp.MustCompile(`--[a-z-]+`)

// flags marks the flags in a text, which a browser would break after their hyphens.
func flags(text string) template.HTML {
	return template.HTML(flagName.ReplaceAllString(template.HTMLEscapeString(text), `<span class="flag">$0</span>`))
}

// page is what the template shows, in its order.
type page struct {
	Title, Date, Verdict, Class string
	Headline                    [][2]string // figure, and what it is
	Verdicts                    []record.Verdict
	Charts                      []template.HTML
	Tables                      []Table
	Noise                       string
	Disturbed                   []string
	Env                         [][2]string
	Commands                    []string
	Data                        *record.Data // for programs
}

// HTML writes a page that needs neither network nor scripts.
func HTML(w io.Writer, d *record.Data) error {
	all, err := d.Summaries()
	if err != nil {
		return err
	}
	p := page{Verdicts: d.Verdicts, Noise: Noise(all), Disturbed: Disturbances(all), Tables: Tables(d, all, true), Data: d}
	for _, plan := range d.Plans {
		p.Commands = append(p.Commands, plan.Line())
	}
	p.Title, p.Date = heading(d)
	p.Verdict, p.Class = verdict(d)
	p.Headline = headlines(d, all)
	for _, c := range charts(d, all) {
		p.Charts = append(p.Charts, template.HTML(c.SVG())) // its texts are escaped
	}
	for _, e := range d.Envs {
		p.Env = append(p.Env, e.Rows()...)
		for _, doubt := range e.Doubts {
			p.Env = append(p.Env, [2]string{"doubt", doubt})
		}
	}
	return pageTemplate.Execute(w, p)
}

// Heading says in one line what was measured, when, and how it ended.
func Heading(d *record.Data) string {
	title, date := heading(d)
	text, _ := verdict(d)
	return fmt.Sprintf("%s, %s: %s", title, date, text)
}

func heading(d *record.Data) (title, date string) {
	title = "zbench"
	if len(d.Plans) > 0 {
		title += " " + d.Plans[0].Command
	}
	if len(d.Runs) > 0 {
		date = d.Runs[0].Start.Format(time.RFC1123)
	}
	return title, date
}

// verdict says how a result ended, and whether that is "good" or "bad".
func verdict(d *record.Data) (text, class string) {
	valid, failed, missed, unsure := 0, 0, 0, 0
	for _, r := range d.Runs {
		switch {
		case r.Valid():
			valid++
		case r.Invalid != record.Interrupted:
			failed++
		}
	}
	for _, v := range d.Verdicts {
		switch {
		case v.Unsure:
			unsure++
		case !v.Met:
			missed++
		}
	}
	switch {
	case failed > 0:
		text, class = fmt.Sprintf("%d of %s failed", failed, record.Count(len(d.Runs), "run")), "bad"
	case valid == 0:
		text, class = "no run was finished", "bad"
	case missed > 0:
		text, class = fmt.Sprintf("%d of %s missed", missed, record.Count(len(d.Verdicts), "objective")), "bad"
	case unsure > 0:
		text, class = fmt.Sprintf("%d of %s not confirmed", unsure, record.Count(len(d.Verdicts), "result")), "bad"
	case len(d.Verdicts) > 0:
		text, class = "all objectives met", "good"
	default:
		text, class = record.Count(valid, "run")+", all valid", "good"
	}
	if d.Partial() {
		text, class = "INTERRUPTED, "+text, "bad"
	}
	return text, class
}

// headlines are the best figure of each transport, with what it is: the highest throughput,
// the lowest p99 or, of offered loads, the p99 of the highest one that went through. Of a
// search they are what it found.
func headlines(d *record.Data, all []record.Summary) (list [][2]string) {
	if len(d.Plans) > 0 && d.Plans[0].Command == "curve" {
		for _, v := range d.Verdicts {
			rate := strings.FieldsFunc(v.Result, func(r rune) bool { return r == ',' || r == ';' })
			list = append(list, [2]string{rate[0], v.Objective + ", " + v.Cell})
		}
		return list
	}
	var best []*record.Summary
	for i := range all {
		s := &all[i]
		at := slices.IndexFunc(best, func(b *record.Summary) bool {
			return b.Cell.Transport == s.Cell.Transport && b.Cell.Verb == s.Cell.Verb
		})
		switch {
		case len(s.Runs) == 0:
		case at < 0:
			best = append(best, s)
		case beats(s, best[at]):
			best[at] = s
		}
	}
	for _, s := range best {
		v, _ := s.Figure("p99-ns")
		text, what := "p99 "+record.Duration(v), s.Cell.Transport+", "+lineName(s.Cell, "")
		switch {
		case s.Saturated():
			text, what = record.Number(s.Of((*record.Run).Rate))+" msg/s", what+", SATURATED"
		case s.Cell.Verb != record.Lat:
			text = record.Number(s.Of((*record.Run).Rate)) + " msg/s"
		}
		list = append(list, [2]string{text, what})
	}
	return list
}

// beats reports whether a is a better headline than b.
func beats(a, b *record.Summary) bool {
	if a.Saturated() != b.Saturated() {
		return b.Saturated()
	}
	if a.Cell.Rate != b.Cell.Rate {
		return a.Cell.Rate > b.Cell.Rate
	}
	unit := mainUnit(a.Cell)
	if a.Cell.Verb == record.Lat {
		unit = "p99-ns"
	}
	x, _ := a.Figure(unit)
	y, _ := b.Figure(unit)
	return (x-y)*float64(record.Better(unit)) > 0
}
