package plan

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// cells returns what is measured. It adds what cannot be.
func (p *Plan) cells(problems *Problems) (cells []record.Cell) {
	options, err := load.Options(p.Options)
	if err != nil {
		problems.add("%w", err)
	}
	for _, c := range p.combine(options) {
		if err := p.possible(c); err != nil {
			problems.add("%w", err)
			continue
		}
		if slices.Contains(cells, c) {
			problems.add("%s is there twice; give each value once", c)
			continue
		}
		cells = append(cells, c)
	}
	return cells
}

// combine returns all combinations, possible or not.
func (p *Plan) combine(options string) (cells []record.Cell) {
	for _, pattern := range p.PatternsUsed() {
		for _, transport := range p.transports() {
			for _, peers := range p.Peers {
				for _, size := range p.Sizes {
					c := p.cell(record.Lat, pattern, transport, options)
					c.Size, c.Senders, c.Receivers = size, peers.Senders, peers.Receivers
					cells = append(cells, p.variants(c)...)
				}
			}
		}
	}
	return cells
}

// cell returns what all cells of the plan have.
func (p *Plan) cell(verb, pattern, transport, options string) record.Cell {
	c := record.Cell{Verb: verb, Pattern: pattern, Transport: transport, Impl: "go", Options: options}
	if p.Payload != load.Random && p.Payload != "" {
		c.Payload = filepath.Base(p.Payload)
	}
	for _, n := range p.Parts {
		c.Parts = strings.TrimPrefix(c.Parts+","+strconv.Itoa(n), ",")
	}
	if name, _ := p.security(); name == "curve" {
		c.Security = name
	}
	return c
}

func (p *Plan) transports() []string {
	if p.Endpoint != "" {
		return []string{p.transport()}
	}
	return p.Transports
}

// variants returns a cell in all ways that its verb has.
func (p *Plan) variants(c record.Cell) (all []record.Cell) {
	if p.Verb == Thr {
		for _, api := range p.APIs {
			c.Verb, c.Mode = record.Thr, api
			all = append(all, c)
		}
		return all
	}
	if p.Verb == Churn {
		for _, name := range p.Securities {
			c.Verb, c.Security = record.Churn, strings.TrimPrefix(name, "null")
			all = append(all, c)
		}
		return all
	}
	rates := p.Rates
	if p.Verb == Curve {
		rates = []float64{p.From} // the search chooses the others
	}
	if len(rates) == 0 {
		return []record.Cell{c}
	}
	for _, rate := range rates {
		c.Rate, c.Arrivals = rate, p.Arrivals
		all = append(all, c)
	}
	return all
}

// possible reports what is wrong with a cell.
func (p *Plan) possible(c record.Cell) error {
	if known := PatternNames(p.Verb); !slices.Contains(known, c.Pattern) {
		other := map[string]string{Thr: Lat, Lat: Thr, Curve: Thr}[p.Verb]
		return fmt.Errorf("%s with pattern %s: use %s, or one of %s", p.Verb, c.Pattern, other, strings.Join(known, " "))
	}
	if c.Verb == record.Thr && c.Transport == "ws" {
		return fmt.Errorf("thr with transport ws: use lat, or one of inproc ipc tcp")
	}
	if p.Endpoint != "" && c.OneWay() {
		return fmt.Errorf("--endpoint with pattern %s: its messages are not answered; use zbench send and recv", c.Pattern)
	}
	return load.Possible(c)
}
