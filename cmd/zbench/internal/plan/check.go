package plan

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// Facts are what the machine and libzmq allow.
type Facts struct {
	Has     func(capability string) bool // of libzmq
	Limits  machine.Limits
	TempDir string // where ipc endpoints are made
	CPUs    []int  // that the process may use; nil: the system does not say

	// Missing returns what the process lacks for a transport, or with a port for binding
	// that; nil: not to be looked at.
	Missing func(transport string, port int) string
	// Urgent returns why threads cannot be urgent, an error that says what it takes; nil:
	// not to be looked at.
	Urgent func() error
	// Machine is what is measured on; nil: it is not known yet.
	Machine *machine.Info
	// Late says how late a sleeping thread wakes up while nothing is measured, for which
	// it takes a look at the machine; nil: it is not known.
	Late func() time.Duration
}

const (
	shortest   = 200 * time.Millisecond
	mostCells  = 500
	mostTime   = 2 * time.Hour
	mostRepeat = 1000
	// fdsPerPeer is what libzmq needs for a socket and its connection: a signaler and
	// the connection, at both ends, and what waits for it in Go.
	fdsPerPeer = 6
	// longestPath is what the kernel takes as the path of a local socket.
	longestPath = 107
)

// Check reports all that is wrong with the plan, before anything is run, and
// returns its cells.
func (p *Plan) Check(facts Facts) ([]record.Cell, error) {
	var problems Problems
	p.checkHow(&problems)
	if p.Pace == load.Urgent && p.offers() {
		checkUrgent(&problems, facts, p.mostSenders())
	}
	p.checkOutput(&problems)
	p.checkMachine(&problems, facts)
	p.checkPin(&problems, facts)
	p.checkShown(&problems)
	if _, err := load.Options(p.Options); err != nil {
		problems.add("%w", err)
	}
	cells, wrong := p.Cells()
	problems = append(problems, wrong...)
	for _, c := range cells {
		p.checkCell(&problems, c, facts)
	}
	p.checkSLO(&problems, cells)
	for _, e := range p.Engines {
		if _, err := os.Stat(e); err != nil {
			problems.add("--engine %s: there is no such file; name a libzmq, such as build/libzmq/lib/libzmq.so.5", e)
		}
	}
	if len(cells) == 0 && len(wrong) == 0 {
		problems.add("there is nothing to measure: none of the patterns, or of the transports, is one of what is measured")
	}
	if d := p.Estimate(len(cells)); (len(cells) > mostCells || d > mostTime) && !p.Yes && p.Verb == Matrix {
		problems.add("%d cells, %d times each, take about %v; use fewer values, or --yes if that is what you want", len(cells), p.Repeat, d.Round(time.Minute))
	}
	if problems = problems.once(); len(problems) > 0 {
		return nil, problems
	}
	return cells, nil
}

func (p *Plan) checkHow(problems *Problems) {
	if p.Verb == Thr && len(p.Rates) > 0 {
		problems.add("--rate with thr: thr runs at full speed; use lat --rate or curve")
	}
	if p.Count == 0 && p.Duration < shortest && !p.Smoke {
		problems.add("--duration %v: use %v or more, or what is measured is the start", p.Duration, shortest)
	}
	if p.Count == 0 && p.Warmup >= 10*p.Duration {
		problems.add("--warmup %v with --duration %v: use a warm-up of less than ten times the duration", p.Warmup, p.Duration)
	}
	if p.Repeat < 1 || p.Repeat > mostRepeat {
		problems.add("--repeat %d: use 1 to %d", p.Repeat, mostRepeat)
	}
	if p.Procs != 1 {
		p.checkProcs(problems)
	}
	for _, word := range []struct {
		flag, value string
		choices     []string
	}{
		{"arrivals", p.Arrivals, []string{"uniform", "poisson"}},
		{"pace", p.Pace, load.Paces()},
		{"baseline", p.Baseline, []string{"c", "none"}},
		{"format", p.Format, formats},
	} {
		if !slices.Contains(word.choices, word.value) {
			problems.add("--%s %s: use one of %s", word.flag, word.value, strings.Join(word.choices, " "))
		}
	}
	if p.Verb == Curve && p.To < p.From {
		problems.add("--from %s with --to %s: the search goes upwards", formatRate(p.From), formatRate(p.To))
	}
	if len(p.Rates) > 0 && slices.ContainsFunc(p.Pipelines, func(n int) bool { return n > 1 }) {
		problems.add("--pipeline with --rate: an offered load does not wait for replies; use one of them")
	}
}

// checkSLO looks for objectives about figures that nothing of what is measured has.
func (p *Plan) checkSLO(problems *Problems, cells []record.Cell) {
	for _, o := range p.SLO {
		has := func(c record.Cell) bool { return c.Impl == "go" && c.Has(o.Unit, p.Pace) }
		switch {
		case o.OfLatency():
			if !p.measures(Lat) {
				problems.add("--slo '%s' with thr: at full speed a latency is the length of a queue; use lat", o.Text)
			}
		case len(cells) == 0 || slices.ContainsFunc(cells, has):
		case o.Unit == "cpu-ns/msg":
			problems.add("--slo '%s' with --pace %s: a sender that spins uses a processor, whatever a message costs; use --pace sleep", o.Text, p.Pace)
		default:
			problems.add("--slo '%s' with lat: it is a figure of throughput; use thr, or msg/s", o.Text)
		}
	}
}

// offers reports whether there is an offered load.
func (p *Plan) offers() bool { return len(p.Rates) > 0 || p.Verb == Curve }

// checkUrgent looks at whether there are the right and the processors for senders that go
// before all else.
func checkUrgent(problems *Problems, facts Facts, senders int) {
	if facts.Machine != nil {
		if err := load.TooUrgent(senders, facts.Machine.Cores); err != nil {
			problems.add("%w", err)
		}
	}
	if facts.Urgent != nil {
		if err := facts.Urgent(); err != nil {
			problems.add("--pace %s: %w; use --pace %s or %s", load.Urgent, err, load.Spin, load.Sleep)
		}
	}
}

// mostSenders returns how many senders a cell has at most.
func (p *Plan) mostSenders() (n int) {
	for _, peers := range p.Peers {
		n = max(n, peers.Senders)
	}
	return n
}

func (p *Plan) checkProcs(problems *Problems) {
	switch {
	case p.Procs < 1 || p.Procs > 2:
		problems.add("--procs %d: use 1, or 2 for a process at each end", p.Procs)
	case p.measures(Thr):
		problems.add("--procs 2 with thr: its loops have both ends in one process, as those in C; use lat")
	case len(p.Engines) > 0:
		problems.add("--procs 2 with --engine: an engine has a process of its own already; use one of them")
	}
}

func (p *Plan) checkOutput(problems *Problems) {
	if p.Out == "" {
		if p.Append || p.Force {
			problems.add("--append and --force are for a directory: name it with --out")
		}
		return
	}
	if p.Append && p.Force {
		problems.add("--append and --force exclude each other: choose one")
	}
	entries, err := os.ReadDir(p.Out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		problems.add("--out %s: %w", p.Out, err)
	case len(entries) > 0 && !p.Append && !p.Force:
		problems.add("--out %s: the directory is not empty; use another, or --append or --force", p.Out)
	}
}

// checkCell looks at what depends on the machine and on libzmq.
func (p *Plan) checkCell(problems *Problems, c record.Cell, facts Facts) {
	if c.Engine == "" { // what another libzmq has shows when it is loaded
		for _, need := range needs(c) {
			if !facts.Has(need.capability) {
				problems.add("%s needs a libzmq with %q: %s", need.what, need.capability, need.hint)
			}
		}
	}
	if c.Transport == "ipc" && len(facts.TempDir)+len("/zmq1234567890/s") > longestPath {
		problems.add("ipc: the path of a socket in %s is longer than the %d bytes that the system takes; set TMPDIR to a shorter one", facts.TempDir, longestPath)
	}
	peers := max(c.Senders, 1) + max(c.Receivers, 1)
	if most := facts.Limits.Files; most > 0 && uint64(peers*fdsPerPeer) > most {
		problems.add("%d peers need about %d file descriptors, the limit is %d; raise it: ulimit -n %d", peers, peers*fdsPerPeer, most, peers*fdsPerPeer)
	}
	if peers > mostSockets {
		problems.add("%d peers: a context of libzmq has %d sockets at most", peers, mostSockets)
	}
	if c.Verb == record.Lat {
		p.checkMemory(problems, c, peers, facts.Limits.Memory)
	}
}

// mostSockets is libzmq's ZMQ_MAX_SOCKETS as it is by default.
const mostSockets = 1023

// A need is something that not every libzmq was built with.
type need struct{ what, capability, hint string }

func needs(c record.Cell) (all []need) {
	if c.Transport == "ipc" {
		all = append(all, need{"transport ipc", "ipc", "it is missing on systems without local sockets; use tcp"})
	}
	if slices.Contains([]string{"clientserver", "scattergather", "radiodish"}, c.Pattern) {
		all = append(all, need{"pattern " + c.Pattern, "draft", "build libzmq with -DENABLE_DRAFTS=ON, and name it with --engine or in GOZMQ_LIBRARY"})
	}
	if c.Transport == "ws" {
		all = append(all, need{"transport ws", "WS", "build libzmq with -DENABLE_WS=ON and -DENABLE_DRAFTS=ON"})
	}
	if c.Security == "curve" {
		all = append(all, need{"--security curve", "curve", "build libzmq with -DENABLE_CURVE=ON, and libsodium"})
	}
	if strings.Contains(c.Options, "BATCH_SIZE") {
		all = append(all, need{"--sockopt *_BATCH_SIZE", "draft", "build libzmq with -DENABLE_DRAFTS=ON"})
	}
	return all
}
