package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/internal/workload"
)

// checkMachine looks at whether the machine is good enough for what is asked of the
// numbers.
func (p *Plan) checkMachine(problems *Problems, facts Facts) {
	if facts.Machine == nil || !p.Strict {
		return
	}
	late := time.Duration(0)
	if facts.Late != nil {
		late = facts.Late()
	}
	_, doubts := facts.Machine.Judge(late)
	for _, d := range doubts {
		problems.add("--strict: %s", d)
	}
}

func (p *Plan) checkPin(problems *Problems, facts Facts) {
	if p.Pin == "" {
		return
	}
	pin, err := workload.ParsePin(p.Pin)
	if err != nil {
		problems.add("--%w", err)
		return
	}
	if len(pin.CPUs()) == 0 {
		problems.add("--pin %s: it names no processor; write lists such as 0/1/0-1", p.Pin)
	}
	if facts.CPUs == nil {
		problems.add("--pin %s: this system does not let a thread choose its processors; leave it out", p.Pin)
		return
	}
	var missing []string
	for _, cpu := range pin.CPUs() {
		if name := strconv.Itoa(cpu); !slices.Contains(facts.CPUs, cpu) && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		problems.add("--pin %s: the process may not run on processor %s; use some of %s", p.Pin, strings.Join(missing, ", "), ranges(facts.CPUs))
	}
}

// ranges writes a list of processors as --pin takes it.
func ranges(cpus []int) string {
	cpus = slices.Sorted(slices.Values(cpus))
	var words []string
	for i := 0; i < len(cpus); {
		last := i
		for last+1 < len(cpus) && cpus[last+1] == cpus[last]+1 {
			last++
		}
		word := strconv.Itoa(cpus[i])
		if last > i {
			word += "-" + strconv.Itoa(cpus[last])
		}
		words = append(words, word)
		i = last + 1
	}
	return strings.Join(words, ",")
}

// checkShown looks at what is timed and shown, and at what messages are made of.
func (p *Plan) checkShown(problems *Problems) {
	checkMetrics(problems, p.MetricsAddr)
	if senders := p.mostSenders(); p.Count > 0 && senders > 0 {
		// Each sender times messages of its own.
		each, of := (p.Count+senders-1)/senders, ""
		if senders > 1 {
			of = fmt.Sprintf(" of %d senders, %d each", senders, each)
		}
		if p.Sample > each {
			problems.add("--sample 1/%d with --count %d%s: not one message would be timed; use a larger share", p.Sample, p.Count, of)
		}
	}
	sorted := slices.Sorted(slices.Values(p.Percentiles))
	if len(slices.Compact(sorted)) != len(p.Percentiles) {
		problems.add("--percentiles: one of them is there twice; give each once")
	}
	if _, err := load.ReadPayload(p.Payload); err != nil {
		problems.add("%w", err)
	}
}

func parsePercentile(word string) ([]float64, error) {
	v, err := strconv.ParseFloat(strings.TrimPrefix(word, "p"), 64)
	if err != nil || !(v > 0 && v <= 100) {
		return nil, fmt.Errorf("%q is no percentile; write numbers above 0 up to 100, such as 50,99,99.9", word)
	}
	return []float64{v}, nil
}

// mostSample leaves something to time of a run of a second at any rate there is.
const mostSample = 1_000_000

func parseSample(word string) ([]int, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(word, "1/"))
	if err != nil || !strings.HasPrefix(word, "1/") || n < 1 || n > mostSample {
		return nil, fmt.Errorf("%q is no share; write one in so many, such as 1/64", word)
	}
	return []int{n}, nil
}

func formatSample(n int) string { return fmt.Sprintf("1/%d", n) }
