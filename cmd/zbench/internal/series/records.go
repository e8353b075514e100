package series

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/internal/workload"
)

// hasRecords reports whether a line of the text is one of zbench's records. In a
// container's log they are mixed with other lines.
func hasRecords(text []byte) bool {
	prefix := []byte(record.Prefix)
	return bytes.HasPrefix(text, prefix) || bytes.Contains(text, append([]byte("\n"), prefix...))
}

func (s *Set) readRecords(text []byte) error {
	data := &record.Data{}
	if err := data.Read(s.From, bytes.NewReader(text)); err != nil {
		return err
	}
	// They were measured in an order that was drawn.
	slices.SortStableFunc(data.Runs, func(a, b record.Run) int { return compareCells(a.Cell, b.Cell) })
	s.Records = data
	invalid, reason := 0, ""
	disturbed, how := 0, ""
	for _, run := range data.Runs {
		if !run.Valid() {
			invalid, reason = invalid+1, run.Invalid
			continue
		}
		if len(run.Warnings) > 0 {
			if disturbed++; disturbed == 1 {
				how = run.Warnings[0]
			}
		}
		var values []Value
		for _, f := range run.Figures() {
			value, unit := benchunit.Tidy(f.Value, f.Unit)
			values = append(values, Value{unit, value})
			s.better(unit, f.Better)
		}
		if run.Cell.Verb == record.Thr {
			values = append(values, Value{"stalls/op", float64(run.Stalls)})
		}
		// An iteration is a run, as of the benchmarks of whole runs.
		s.add(benchfmt.Name(run.Cell.Name()), 1, values)
	}
	if invalid > 0 {
		s.Partial = append(s.Partial, fmt.Sprintf("%d of %d runs of %s are not valid (%s)", invalid, len(data.Runs), s.From, reason))
	}
	if disturbed > 0 {
		s.Unfit = append(s.Unfit, fmt.Sprintf("%d of %d runs of %s were disturbed (%s)", disturbed, len(data.Runs), s.From, how))
	}
	if data.Partial() {
		s.Partial = append(s.Partial, s.From+" is of a plan that was interrupted")
	}
	for _, env := range data.Envs {
		s.takeMachine(env.Info)
	}
	return nil
}

// compareCells orders cells for tables: as the modes are shown elsewhere, this binding
// before C.
func compareCells(a, b record.Cell) int {
	return cmp.Or(
		-strings.Compare(a.Verb, b.Verb), strings.Compare(a.Pattern, b.Pattern), cmp.Compare(place(transports, a.Transport), place(transports, b.Transport)),
		cmp.Compare(a.Senders, b.Senders), cmp.Compare(a.Receivers, b.Receivers), cmp.Compare(a.Window, b.Window),
		cmp.Compare(a.Procs, b.Procs), strings.Compare(a.Security, b.Security), strings.Compare(a.Options, b.Options),
		cmp.Compare(a.Size, b.Size), cmp.Compare(a.Rate, b.Rate), strings.Compare(a.Arrivals, b.Arrivals),
		cmp.Compare(place(workload.Modes(), a.Mode), place(workload.Modes(), b.Mode)),
		cmp.Compare(place(workload.Strategies(workload.Go), a.Strategy), place(workload.Strategies(workload.Go), b.Strategy)),
		strings.Compare(a.Engine, b.Engine), -strings.Compare(a.Impl, b.Impl),
	)
}

var transports = []string{"inproc", "ipc", "tcp"}

// place is where a name stands in a list; behind it, if it is not there.
func place[T ~string](list []T, name string) int {
	if i := slices.Index(list, T(name)); i >= 0 {
		return i
	}
	return len(list)
}

// better keeps the direction that a record gives with a figure, where x/perf has it.
func (s *Set) better(unit string, direction int) {
	value := map[int]string{1: "higher", -1: "lower"}[direction]
	if value != "" {
		key := benchfmt.UnitMetadataKey{Unit: unit, Key: "better"}
		s.Units[key] = &benchfmt.UnitMetadata{UnitMetadataKey: key, OrigUnit: unit, Value: value}
	}
}

// takeMachine keeps what the machine's fingerprint is made of. Several engines are
// several versions of libzmq; otherwise two machines in one result are no basis.
func (s *Set) takeMachine(i machine.Info) {
	machine := map[string]string{
		"cpu": i.CPU, "cores": strconv.Itoa(i.Cores), "virtual": strconv.FormatBool(i.Virtual), "kernel": kernel(i.System),
		"GOMAXPROCS": strconv.Itoa(i.GOMAXPROCS), "go": minor(i.Go), "libzmq": i.Libzmq,
	}
	for _, key := range slices.Sorted(maps.Keys(machine)) {
		value := machine[key]
		have, ok := s.Machine[key]
		switch {
		case !ok:
			s.Machine[key] = value
		case key == "libzmq" && !strings.Contains(have, value):
			s.Machine[key] = have + ", " + value
		case key != "libzmq" && have != value:
			s.Mixed = append(s.Mixed, fmt.Sprintf("%s has runs of two machines: %s is %q and %q", s.From, key, have, value))
		}
	}
	if i.Instrumented != "" {
		s.Instrumented = append(s.Instrumented, s.From+" was built with "+i.Instrumented)
	}
	s.takeVerdict(i)
	if s.Env != nil {
		return
	}
	s.Env = []string{
		"zbench: " + i.Zbench, "go: " + i.Go, "libzmq: " + i.Libzmq, "cpu: " + i.CPU, "cores: " + strconv.Itoa(i.Cores),
		"GOMAXPROCS: " + strconv.Itoa(i.GOMAXPROCS), "kernel: " + i.System,
	}
	for _, r := range i.Rows() {
		s.Env = append(s.Env, r[0]+": "+r[1])
	}
	verdict, _ := i.Judge(0)
	s.Env = append(s.Env, "verdict: "+string(verdict))
	for _, doubt := range i.Doubts() {
		s.Env = append(s.Env, "doubt: "+doubt)
	}
}

// takeVerdict keeps why zbench env would have said not to publish.
func (s *Set) takeVerdict(i machine.Info) {
	for _, why := range i.Unfit() {
		s.Unfit = append(s.Unfit, fmt.Sprintf("%s was measured with %s, from where zbench env says not to publish", s.From, why))
	}
}
