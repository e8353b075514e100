package plan

import (
	"maps"
	"math"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/zmq"
)

// HeaderSize is what zbench's header takes of each message of a sender.
const HeaderSize = 24

// Check reports all that is wrong with the role, before anything is opened.
func (r *Role) Check(facts Facts) error {
	var problems Problems
	r.checkPattern(&problems, facts)
	r.checkEndpoints(&problems, facts)
	r.checkMessages(&problems)
	r.checkPace(&problems, facts)
	r.checkEnds(&problems)
	r.checkLimits(&problems, facts)
	r.checkSecurity(&problems, facts)
	if _, err := load.Options(r.Options); err != nil {
		problems.add("%w", err)
	}
	if strings.Contains(strings.Join(slices.Collect(maps.Keys(r.Options)), " "), "BATCH_SIZE") && !facts.Has("draft") {
		problems.add("--sockopt *_BATCH_SIZE needs a libzmq with %q: build libzmq with -DENABLE_DRAFTS=ON", "draft")
	}
	(&Plan{Out: r.Out, Append: r.Append, Force: r.Force}).checkOutput(&problems)
	checkMetrics(&problems, r.MetricsAddr)
	if problems = problems.once(); len(problems) > 0 {
		return problems
	}
	return nil
}

// checkMetrics looks at the address of the metrics; none is none.
func checkMetrics(problems *Problems, address string) {
	if address == "" {
		return
	}
	_, port, err := net.SplitHostPort(address)
	n, e := strconv.Atoi(port)
	if err != nil || e != nil || n < 0 || n > math.MaxUint16 {
		problems.add("--metrics-addr %s: write an address such as :9090 or 127.0.0.1:9090", address)
	}
}

func (r *Role) checkPattern(problems *Problems, facts Facts) {
	if known := RolePatterns(r.Verb); !slices.Contains(known, r.Pattern) {
		why := map[string]string{
			Recv:  "messages are to be answered there; use echo",
			Echo:  "nothing goes back there; use recv",
			Proxy: "there is no pair of sockets for it",
		}[r.Verb]
		problems.add("%s with pattern %s: %s, or one of %s", r.Verb, r.Pattern, why, strings.Join(known, " "))
	}
	if r.Ends().Draft && !facts.Has("draft") {
		problems.add("pattern %s needs a libzmq with %q: build libzmq with -DENABLE_DRAFTS=ON, and name it in GOZMQ_LIBRARY", r.Pattern, "draft")
	}
	if r.Pattern == "routerrouter" && r.Verb == Send && r.Binds() {
		problems.add("send --bind with routerrouter: a ROUTER that is bound knows nobody to send to; connect it")
	}
}

func (r *Role) checkMessages(problems *Problems) {
	ends := r.Ends()
	if ends.OneWay && !r.Raw && r.Size >= 0 && r.Size < HeaderSize && r.Verb != Proxy {
		problems.add("%d-byte header does not fit into --size %d; use --size %d or more, or --raw, which checks nothing", HeaderSize, r.Size, HeaderSize)
	}
	r.checkParts(problems)
	if r.OneWay && r.Raw {
		problems.add("--one-way with --raw: without a header nothing says when a message was due; use one of them")
	}
	if r.Topic != "" && !ends.Lossy {
		problems.add("--topic with %s: it is for pubsub and radiodish", r.Pattern)
	}
	if r.Topic != "" && r.Pattern == "radiodish" && len(r.Topic) > 255 {
		problems.add("--topic: a group has 255 bytes at most")
	}
	if r.Verb != Send {
		r.checkSLO(problems, r.OneWay)
		return
	}
	if r.Pipeline > 1 {
		switch {
		case ends.Lockstep:
			problems.add("%s with --pipeline %d: it has one request under way; use dealerrouter", r.Pattern, r.Pipeline)
		case ends.OneWay:
			problems.add("%s with --pipeline %d: nothing comes back there; use dealerrouter", r.Pattern, r.Pipeline)
		case r.Rate > 0:
			problems.add("--pipeline with --rate: an offered load does not wait for replies; use one of them")
		}
	}
	if r.Pipeline > load.InFlight {
		problems.add("--pipeline %d: use %d or less", r.Pipeline, load.InFlight)
	}
	for _, word := range []struct {
		flag, value string
		choices     []string
	}{
		{"arrivals", r.Arrivals, []string{"uniform", "poisson"}},
		{"pace", r.Pace, load.Paces()},
	} {
		if !slices.Contains(word.choices, word.value) {
			problems.add("--%s %s: use one of %s", word.flag, word.value, strings.Join(word.choices, " "))
		}
	}
	r.checkSLO(problems, !ends.OneWay)
}

// checkPace looks at what the sender's thread needs.
func (r *Role) checkPace(problems *Problems, facts Facts) {
	if r.Verb == Send && r.Pace == load.Urgent && r.Rate > 0 {
		checkUrgent(problems, facts, 1)
	}
}

// checkParts looks at what a payload is made of.
func (r *Role) checkParts(problems *Problems) {
	ends := r.Ends()
	first := r.Size / max(r.Parts, 1)
	switch {
	case r.Parts > 1 && ends.Draft:
		problems.add("%s with --parts %d: its messages have one part; use a pattern that is no draft", r.Pattern, r.Parts)
	case r.Parts > 1 && r.Size >= 0 && r.Verb != Echo && first < 1:
		problems.add("--size %d with --parts %d: a part has a byte or more; use a larger size or fewer parts", r.Size, r.Parts)
	case r.Parts > 1 && r.Size >= HeaderSize && first < HeaderSize && ends.OneWay && !r.Raw && r.Verb != Proxy:
		problems.add("--size %d with --parts %d: the first part has a header of %d bytes; use --size %d or more, or --raw", r.Size, r.Parts, HeaderSize, r.Parts*HeaderSize)
	}
	if _, err := load.ReadPayload(r.Payload); err != nil {
		problems.add("%w", err)
	}
}

// checkSLO looks for objectives about figures that the result will not have.
func (r *Role) checkSLO(problems *Problems, timed bool) {
	cell := record.Cell{Verb: r.Verb, Pattern: r.Pattern, Rate: r.Rate}
	for _, o := range r.SLO {
		switch {
		case o.OfLatency() && !timed:
			problems.add("--slo '%s' with %s %s: it measures no latency there; use send with a pattern that answers, or recv --one-way", o.Text, r.Verb, r.Pattern)
		case cell.Has(o.Unit, r.Pace):
		case o.Unit == "cpu-ns/msg":
			problems.add("--slo '%s' with --pace %s: a sender that spins uses a processor, whatever a message costs; use --pace sleep", o.Text, r.Pace)
		default:
			problems.add("--slo '%s' with %s %s: it is a figure of throughput, which is not measured there; use msg/s", o.Text, r.Verb, r.Pattern)
		}
	}
}

func (r *Role) checkEnds(problems *Problems) {
	if r.Duration > 0 && r.Duration < shortest {
		problems.add("--duration %v: use %v or more, or what is measured is the start", r.Duration, shortest)
	}
	if r.Verb == Send && r.Duration == 0 && r.Count == 0 {
		problems.add("--duration 0s: a sender has an end; use 200ms or more, or --count")
	}
}

func (r *Role) checkLimits(problems *Problems, facts Facts) {
	if most := facts.Limits.Files; most > 0 && uint64(r.Peers*fdsPerPeer) > most {
		problems.add("%d peers need about %d file descriptors, the limit is %d; raise it: ulimit -n %d", r.Peers, r.Peers*fdsPerPeer, most, r.Peers*fdsPerPeer)
	}
	r.checkMemory(problems, facts.Limits.Memory)
}

func (r *Role) checkSecurity(problems *Problems, facts Facts) {
	switch {
	case r.Verb == Proxy:
	case r.Security != "null" && r.Security != "curve":
		problems.add("--security %s: use one of null curve", r.Security)
	case r.Security == "null":
		if r.ServerKey != "" {
			problems.add("--server-key is for --security curve: give both, or neither")
		}
	case !facts.Has("curve"):
		problems.add("--security curve needs a libzmq with %q: build libzmq with -DENABLE_CURVE=ON, and libsodium", "curve")
	case r.Binds():
		if r.ServerKey != "" {
			problems.add("--server-key with a bound endpoint: this end makes the key, and prints it")
		}
	case r.ServerKey == "":
		problems.add("--security curve: --server-key is missing: it is what the end that binds has printed")
	default:
		if err := zmq.CheckCurveKey(r.ServerKey); err != nil {
			problems.add("--server-key: %w", err)
		}
	}
}
