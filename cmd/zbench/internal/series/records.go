package series

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
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
	s.Records = data
	invalid, reason := 0, ""
	for _, run := range data.Runs {
		if !run.Valid() {
			invalid, reason = invalid+1, run.Invalid
			continue
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
	if data.Partial() {
		s.Partial = append(s.Partial, s.From+" is of a plan that was interrupted")
	}
	for _, env := range data.Envs {
		s.takeMachine(env.Info)
	}
	return nil
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
	for key, value := range map[string]string{
		"cpu": i.CPU, "cores": strconv.Itoa(i.Cores), "virtual": strconv.FormatBool(i.Virtual), "kernel": kernel(i.System),
		"GOMAXPROCS": strconv.Itoa(i.GOMAXPROCS), "go": minor(i.Go), "libzmq": i.Libzmq,
	} {
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
	if s.Env != nil {
		return
	}
	s.Env = []string{
		"zbench: " + i.Zbench, "go: " + i.Go, "libzmq: " + i.Libzmq, "cpu: " + i.CPU, "cores: " + strconv.Itoa(i.Cores),
		"GOMAXPROCS: " + strconv.Itoa(i.GOMAXPROCS), "kernel: " + i.System,
	}
	for _, doubt := range i.Doubts() {
		s.Env = append(s.Env, "doubt: "+doubt)
	}
}
