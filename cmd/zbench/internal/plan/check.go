package plan

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/zmq"
)

// Facts are what the machine and libzmq allow.
type Facts struct {
	Has func(capability string) bool // of libzmq
	Now time.Time
	// Processors is how many of them the process may use.
	Processors int
}

// Check returns the cells of the plan, or Problems. Nothing is run or opened before.
func (p *Plan) Check(facts Facts) ([]record.Cell, error) {
	problems := slices.Clone(p.unread)
	if p.Pace == load.Auto {
		most := 1
		for _, peers := range p.Peers {
			most = max(most, peers.Senders)
		}
		p.Pace, p.Chosen = load.PaceFor(facts.Processors, most), true
	}
	p.checkHow(&problems, facts)
	p.checkOutput(&problems)
	var cells []record.Cell
	if p.OneSide() {
		p.checkSide(&problems, facts)
	} else {
		cells = p.checkCells(&problems, facts)
	}
	p.checkSecurity(&problems, facts)
	if len(problems) > 0 {
		return nil, problems
	}
	return cells, nil
}

func (p *Plan) checkCells(problems *Problems, facts Facts) []record.Cell {
	if p.Verb == Curve && p.To < p.From {
		problems.add("--from %v with --to %v: the search goes upwards", p.From, p.To)
	}
	if p.Endpoint != "" {
		p.checkEndpoint(problems, facts, false)
		if p.values["transport"].given {
			problems.add("--transport with --endpoint: the endpoint has the transport; leave --transport out")
		}
	}
	cells := p.cells(problems)
	p.fit(len(cells))
	for _, c := range cells {
		if c.Verb == record.Churn && c.Security == "curve" && !facts.Has("curve") {
			problems.add("--security curve needs a libzmq with %q; use --security null,plain", "curve")
		}
		p.checkNeeds(problems, c.Pattern, c.Transport, facts)
	}
	p.checkObjectives(problems, cells)
	if len(cells) > 0 && p.Repeat > 0 {
		p.checkBudget(problems, len(cells))
	}
	return cells
}

// checkHow checks how anything is measured.
func (p *Plan) checkHow(problems *Problems, facts Facts) {
	for _, name := range []string{"arrivals", "pace"} {
		if v, rate := p.values[name], p.values["rate"]; v != nil && v.given && rate != nil && len(rate.texts) == 0 {
			problems.add("--%s without --rate: it is for an offered load; add --rate, such as --rate 10k", name)
		}
	}
	if !p.StartAt.IsZero() && p.StartAt.Before(facts.Now) {
		problems.add("--start-at %s: that is %v ago; use a time to come", p.StartAt.Format(time.TimeOnly), facts.Now.Sub(p.StartAt).Round(time.Second))
	}
}

// checkOutput refuses to write over anything.
func (p *Plan) checkOutput(problems *Problems) {
	if p.Out == "" || p.Out == "-" {
		return
	}
	if ext := filepath.Ext(p.Out); slices.Contains([]string{".json", ".csv", ".md", ".html", ".txt", ".yaml"}, ext) {
		problems.add("--out %s: records are written to a file whose name ends in .jsonl, or with summaries and a page to a directory; zbench report --format makes other files", p.Out)
	}
	info, err := os.Stat(p.Out)
	if err != nil {
		return // it does not exist, or opening it will say why
	}
	entries, err := os.ReadDir(p.Out)
	switch {
	case !info.IsDir():
		problems.add("--out %s: it exists; remove it, or use another name", p.Out)
	case err != nil:
		problems.add("--out %s: %w", p.Out, err)
	case len(entries) > 0:
		problems.add("--out %s: the directory is not empty; remove it, or use another", p.Out)
	}
}

// checkObjectives refuses objectives about figures that no result will have.
func (p *Plan) checkObjectives(problems *Problems, cells []record.Cell) {
	for _, o := range p.SLO {
		has := func(c record.Cell) bool { return c.Has(o.Unit, p.Pace) }
		p.checkSamples(problems, o, cells)
		switch {
		case len(cells) == 0 || slices.ContainsFunc(cells, has):
		case o.Unit == "cpu-ns/msg":
			problems.add("--slo '%s' with --pace %s: a sender that spins uses a processor whatever a message costs; use --pace sleep", o.Text, p.Pace)
		case p.Verb == Thr:
			problems.add("--slo '%s' with thr: at full speed latency is the length of a queue; use lat", o.Text)
		case p.OneSide():
			problems.add("--slo '%s' with %s: it measures no latency; use zbench lat", o.Text, p.Verb)
		default:
			problems.add("--slo '%s' with %s: it is a figure of throughput; use thr, or msg/s", o.Text, p.Verb)
		}
	}
}

// checkSamples refuses an objective about a percentile of fewer messages than tell it from
// the maximum. How many round trips there will be, one after the other, is not known.
func (p *Plan) checkSamples(problems *Problems, o record.Objective, cells []record.Cell) {
	need := record.Samples(o.Unit)
	for _, c := range cells {
		n := c.Rate * p.Budget(len(cells)).Measured.Seconds() * float64(p.Repeat)
		if c.Open() && c.Verb == record.Lat && n < 0.9*float64(need) {
			problems.add("--slo '%s' at %v/s: it needs %d messages, and there would be %.0f; use a longer --duration, a higher rate or a lower percentile", o.Text, c.Rate, need, n)
		}
	}
}

// checkNeeds checks what not every libzmq was built with.
func (p *Plan) checkNeeds(problems *Problems, pattern, transport string, facts Facts) {
	need := func(wanted bool, what, capability, hint string) {
		if wanted && !facts.Has(capability) {
			problems.add("%s needs a libzmq with %q: %s", what, capability, hint)
		}
	}
	need(transport == "ipc", "transport ipc", "ipc", "it is missing on systems without local sockets; use tcp")
	ends, _ := record.PatternOf(pattern)
	need(ends.Draft, "pattern "+pattern, "draft",
		"build libzmq with -DENABLE_DRAFTS=ON, and name it in GOZMQ_LIBRARY")
	need(transport == "ws", "transport ws", "WS", "build libzmq with -DENABLE_WS=ON and -DENABLE_DRAFTS=ON")
}

const whichKey = "KEY is the public key of the side that binds: zbench recv, echo or send --bind with --security curve make keys and print it; other programs make keys with zmq_curve_keypair"

func (p *Plan) checkSecurity(problems *Problems, facts Facts) {
	name, key := p.security()
	switch {
	case !slices.Contains(securities, name):
		problems.add("--security %s: use one of %s", name, strings.Join(securities, " "))
	case name == "null":
		if key != "" {
			problems.add("--security %s: a key is for curve", p.Security)
		}
	case !facts.Has("curve"):
		problems.add("--security curve needs a libzmq with %q: build libzmq with -DENABLE_CURVE=ON, and libsodium", "curve")
	case p.Endpoint == "" || p.OneSide() && p.Binds():
		if key != "" {
			problems.add("--security curve=KEY where zbench binds: that side makes the keys and prints the public one; use --security curve")
		}
	case key == "":
		problems.add("--security curve: the key is missing; use --security curve=KEY, where %s", whichKey)
	default:
		if err := zmq.CheckCurveKey(key); err != nil {
			problems.add("--security: %w; %s", err, whichKey)
		}
	}
}
