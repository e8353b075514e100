package plan

import (
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/zmq"
)

// Facts are what the machine and libzmq allow.
type Facts struct {
	Has     func(capability string) bool // of libzmq
	Limits  machine.Limits
	TempDir string // of ipc endpoints
	Now     time.Time
}

const (
	mostRepeat = 1000
	mostTime   = 24 * time.Hour
	// fdsPerPeer is what libzmq needs for a socket and its connection: a signaler and
	// the connection at both ends, and what waits for it in Go.
	fdsPerPeer = 6
	// longestPath is the longest path of a local socket.
	longestPath = 107
	// mostSockets is libzmq's default of ZMQ_MAX_SOCKETS.
	mostSockets = 1023
)

// Check returns the cells of the plan, or Problems. Nothing is run or opened before.
func (p *Plan) Check(facts Facts) ([]record.Cell, error) {
	problems := slices.Clone(p.unread)
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
	if p.Repeat < 1 || p.Repeat > mostRepeat {
		problems.add("--repeat %d: use 1 to %d", p.Repeat, mostRepeat)
	}
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
	for _, c := range cells {
		p.checkCell(problems, c, facts)
	}
	p.checkObjectives(problems, cells)
	if len(cells) > 0 && p.Repeat >= 1 {
		p.checkBudget(problems, len(cells))
	}
	return cells
}

// checkHow checks how anything is measured.
func (p *Plan) checkHow(problems *Problems, facts Facts) {
	if p.Duration > mostTime {
		problems.add("--duration %v: use %v or less", p.Duration, mostTime)
	}
	if p.MetricsAddr != "" {
		_, port, err := net.SplitHostPort(p.MetricsAddr)
		if _, e := strconv.ParseUint(port, 10, 16); err != nil || e != nil {
			problems.add("--metrics-addr %s: write an address such as :9090 or 127.0.0.1:9090", p.MetricsAddr)
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
		switch {
		case len(cells) == 0 || slices.ContainsFunc(cells, has):
		case o.Unit == "cpu-ns/msg":
			problems.add("--slo '%s' with --pace %s: a sender that spins uses a processor whatever a message costs; use --pace sleep", o.Text, p.Pace)
		case p.Verb == Thr:
			problems.add("--slo '%s' with thr: at full speed latency is the length of a queue; use lat", o.Text)
		default:
			problems.add("--slo '%s' with %s: it is a figure of throughput; use thr, or msg/s", o.Text, p.Verb)
		}
	}
}

// checkCell checks what depends on the machine and on libzmq.
func (p *Plan) checkCell(problems *Problems, c record.Cell, facts Facts) {
	p.checkNeeds(problems, c.Pattern, c.Transport, facts)
	if c.Transport == "ipc" && p.Endpoint == "" && len(facts.TempDir)+len("/zmq1234567890/s") > longestPath {
		problems.add("ipc: the path of a socket in %s is longer than the %d bytes that the system allows; set TMPDIR to a shorter one", facts.TempDir, longestPath)
	}
	peers := max(c.Senders, 1) + max(c.Receivers, 1)
	checkFiles(problems, facts, peers)
	if peers > mostSockets {
		problems.add("%d peers: a context of libzmq has at most %d sockets", peers, mostSockets)
	}
	if c.Open() {
		p.checkMemory(problems, []string{"SNDHWM", "RCVHWM"}, c.Size, peers, facts.Limits.Memory)
	}
}

func checkFiles(problems *Problems, facts Facts, peers int) {
	if most := facts.Limits.Files; most > 0 && uint64(peers*fdsPerPeer) > most {
		problems.add("%d peers need about %d file descriptors, the limit is %d; raise it: ulimit -n %d", peers, peers*fdsPerPeer, most, peers*fdsPerPeer)
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
	need(slices.Contains([]string{"clientserver", "scattergather", "radiodish"}, pattern), "pattern "+pattern, "draft",
		"build libzmq with -DENABLE_DRAFTS=ON, and name it in GOZMQ_LIBRARY")
	need(transport == "ws", "transport ws", "WS", "build libzmq with -DENABLE_WS=ON and -DENABLE_DRAFTS=ON")
	need(p.Options["IN_BATCH_SIZE"]+p.Options["OUT_BATCH_SIZE"] != "", "--sockopt *_BATCH_SIZE", "draft", "build libzmq with -DENABLE_DRAFTS=ON")
}

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
			problems.add("--security curve=KEY where zbench binds: the side that binds makes the key and prints it; use --security curve")
		}
	case key == "":
		problems.add("--security curve: the key is missing; use --security curve=KEY with what the side that binds has printed")
	default:
		if err := zmq.CheckCurveKey(key); err != nil {
			problems.add("--security: %w", err)
		}
	}
}

// checkMemory checks what may be queued in sockets that have these high-water marks.
func (p *Plan) checkMemory(problems *Problems, marks []string, size, peers int, memory int64) {
	sum := 0.0
	for _, name := range marks {
		mark, set := 1000, "--sockopt HWM"
		for _, option := range []string{name, "HWM"} {
			if n, err := strconv.Atoi(p.Options[option]); err == nil {
				mark, set = n, "--sockopt "+option
			}
		}
		if mark == 0 {
			problems.add("%s=0 with %d peers: there is no limit, and the queue may take all memory; give one", set, peers)
		}
		sum += float64(mark)
	}
	if need := sum * float64(size) * float64(peers); memory > 0 && need > float64(memory)/2 {
		problems.add("%d B x %v messages x %d peers may take %.1f GiB, more than half of the memory; give a smaller --sockopt HWM", size, sum, peers, need/(1<<30))
	}
}
