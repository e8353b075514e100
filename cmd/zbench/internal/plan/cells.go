package plan

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/internal/workload"
)

func formatCount(n int) string { return strconv.Itoa(n) }

// latPatterns have round trips, or one way with a rate.
var latPatterns = []string{"reqrep", "dealerrouter", "dealerdealer", "routerrouter", "pair", "pushpull", "clientserver", "scattergather", "radiodish"}

// thrPatterns go one way.
func thrPatterns() []string {
	return []string{"pushpull", "pubsub", "routerrouter", "pair", "scattergather", "radiodish"}
}

func thrOnlyPatterns() []string {
	return slices.DeleteFunc(thrPatterns(), func(p string) bool { return slices.Contains(latPatterns, p) })
}

// Cells returns what is measured: each cell of Go followed by its floor in C, if
// there is one. What cannot be measured is an error, all of it.
func (p *Plan) Cells() ([]record.Cell, Problems) {
	var cells []record.Cell
	var problems Problems
	floors := map[record.Cell]bool{}
	for _, c := range p.combine() {
		if err := possible(c, p.Procs); err != nil {
			problems.add("%w", err)
			continue
		}
		if slices.Contains(cells, c) {
			problems.add("%s is there twice; give each value once", c)
			continue
		}
		cells = append(cells, c)
		if floor, ok := p.Floor(c); ok && !floors[floor] {
			floors[floor] = true
			cells = append(cells, floor)
		}
	}
	return cells, problems.once()
}

// combine returns all combinations, possible or not.
func (p *Plan) combine() (cells []record.Cell) {
	engines := p.Engines
	if len(engines) == 0 {
		engines = []string{""}
	}
	for _, measure := range p.Measures {
		options := p.optionsOf(measure)
		for _, pattern := range p.patternsOf(measure) {
			for _, transport := range p.transportsOf(measure) {
				for _, security := range p.Securities {
					for _, peers := range p.Peers {
						for _, size := range p.Sizes {
							c := record.Cell{
								Verb: measure, Pattern: pattern, Transport: transport, Size: size,
								Impl: "go", Senders: peers.Senders, Receivers: peers.Receivers, Options: options,
								Pin: p.Pin,
							}
							if p.Procs > 1 {
								c.Procs = p.Procs
							}
							if security != "null" {
								c.Security = security
							}
							if p.Payload != "" {
								c.Payload = filepath.Base(p.Payload)
							}
							cells = append(cells, p.inParts(c, engines)...)
						}
					}
				}
			}
		}
	}
	return cells
}

// inParts returns a cell with each number of parts, in all variants, on all engines.
func (p *Plan) inParts(c record.Cell, engines []string) (cells []record.Cell) {
	for _, parts := range p.Parts {
		c.Parts = 0
		if parts > 1 {
			c.Parts = parts
		}
		for _, variant := range p.variants(c) {
			for _, engine := range engines {
				variant.Engine = engine
				cells = append(cells, variant)
			}
		}
	}
	return cells
}

// patternsOf returns a measure's patterns: those asked for that it has, or its own.
func (p *Plan) patternsOf(measure string) []string {
	if len(p.Patterns) == 0 {
		switch {
		case measure == Thr:
			return []string{"pushpull"}
		case len(p.Rates) > 0 || p.Verb == Curve:
			return []string{"dealerrouter"}
		}
		return []string{"reqrep"}
	}
	if p.Verb != Matrix {
		return p.Patterns
	}
	known := latPatterns
	if measure == Thr {
		known = thrPatterns()
	}
	return slices.DeleteFunc(slices.Clone(p.Patterns), func(name string) bool {
		// In a matrix, a pattern is for the measures that have it.
		return !slices.Contains(known, name) || measure == Lat && record.Cell{Pattern: name}.OneWay() && len(p.Rates) == 0
	})
}

// transportsOf returns a measure's transports: of a matrix, those asked for that it has.
func (p *Plan) transportsOf(measure string) []string {
	if p.Verb != Matrix || measure != Thr {
		return p.Transports
	}
	return slices.DeleteFunc(slices.Clone(p.Transports), func(name string) bool { return !slices.Contains(thrTransports(), name) })
}

// optionsOf returns a measure's options, as cells have them. In a matrix that has round
// trips, those that are not for throughput are for these.
func (p *Plan) optionsOf(measure string) string {
	options := p.Options
	if measure == Thr && p.measures(Lat) {
		options = maps.Clone(options)
		maps.DeleteFunc(options, func(name, _ string) bool { return !slices.Contains(load.ThroughputOptions(), name) })
	}
	list, _ := load.Options(options) // Check reports its error
	return list
}

// variants returns a cell in all the ways that its measure has.
func (p *Plan) variants(c record.Cell) (all []record.Cell) {
	if c.Verb == Thr {
		for _, name := range p.apis() {
			a, _ := findAPI(name)
			c.Mode, c.Strategy = string(a.mode), string(a.strategy)
			all = append(all, c)
		}
		return all
	}
	if len(p.Rates) > 0 {
		for _, rate := range p.Rates {
			c.Rate, c.Arrivals = rate, p.Arrivals
			all = append(all, c)
		}
		return all
	}
	if p.Verb == Curve { // the rates come later, but they are offered loads
		c.Rate, c.Arrivals = p.From, p.Arrivals
		return []record.Cell{c}
	}
	for _, n := range p.Pipelines {
		c.Window = n
		all = append(all, c)
	}
	return all
}

func (p *Plan) apis() []string {
	if !slices.Contains(p.APIs, "all") {
		return p.APIs
	}
	names := APINames()
	return names[:len(names)-1]
}

// possible reports what is wrong with a cell.
func possible(c record.Cell, procs int) error {
	if procs > 1 && c.Transport == "inproc" {
		return fmt.Errorf("--procs %d with inproc: inproc lives inside one context; use ipc or tcp", procs)
	}
	if procs > 1 && c.Verb == Lat && c.OneWay() {
		return fmt.Errorf("--procs %d with %s: one way is timed by one process; use a pattern that answers", procs, c.Pattern)
	}
	if c.Verb == Thr {
		if !slices.Contains(thrPatterns(), c.Pattern) {
			return fmt.Errorf("thr with pattern %s: messages come back there; use lat, or one of %s", c.Pattern, strings.Join(thrPatterns(), " "))
		}
	}
	if c.Verb == Thr && !slices.Contains(thrTransports(), c.Transport) {
		return fmt.Errorf("thr with transport %s: use lat, or one of %s", c.Transport, strings.Join(thrTransports(), " "))
	}
	return load.Possible(c)
}

// Floor returns the same loop in C, where package workload has it.
func (p *Plan) Floor(c record.Cell) (record.Cell, bool) {
	if p.Baseline != "c" || c.Open() || c.Procs > 1 {
		return record.Cell{}, false
	}
	c.Impl = "c"
	if c.Verb == Thr {
		a := api{mode: workload.Mode(c.Mode), strategy: workload.Strategy(c.Strategy)}.floor()
		c.Mode, c.Strategy = string(a.mode), string(a.strategy)
	}
	return c, load.Possible(c) == nil
}
