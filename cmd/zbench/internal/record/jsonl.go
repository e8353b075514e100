package record

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
)

// Schema names the form of the lines. It changes when a field changes its meaning, not
// when one is added. docs/zbench.schema.json describes all of them.
const Schema = "zbench/1"

// Prefix is the start of every line of every version.
const Prefix = `{"schema":"zbench/`

// FileName is the name of the records in a directory of results.
const FileName = "results.jsonl"

// Env is the program, the library and the machine of runs.
type Env struct {
	ID string `json:"id"` // short; equal for equal environments
	machine.Info
	Doubts []string `json:"doubts,omitempty"` // why absolute numbers are doubtful
}

// NewEnv returns the Env of a machine.
func NewEnv(i machine.Info) Env { return Env{ID: i.ID(), Info: i, Doubts: i.Doubts()} }

// Plan is what was asked for: the first line of a result.
type Plan struct {
	ID      string    `json:"id"`
	Start   time.Time `json:"start"`
	Command string    `json:"command"`        // the verb: "thr"
	Args    []string  `json:"args,omitempty"` // the flags that were given: "--size=64"
	Repeat  int       `json:"repeat"`         // runs of each cell

	// Of a run on several hosts: the --start-at that they share, and the name of the host.
	StartAt time.Time `json:"start_at,omitzero"`
	Host    string    `json:"host,omitempty"`
}

// Verdict is the result of an objective.
type Verdict struct {
	Plan      string `json:"plan"`      // its ID
	Cell      string `json:"cell"`      // as people read it
	Objective string `json:"objective"` // "p99<1ms", or "highest rate with p99<1ms"
	Result    string `json:"result"`    // "1.31 ms"
	Met       bool   `json:"met"`
	// Unsure says that the result of a search was not confirmed, so that it is neither met
	// nor missed.
	Unsure bool `json:"unsure,omitempty"`
}

// String returns the verdict for people.
func (v Verdict) String() string {
	met := "MISSED"
	switch {
	case v.Unsure:
		met = "UNKNOWN"
	case v.Met:
		met = "met"
	}
	return fmt.Sprintf("%s: %s, %s (%s)", v.Objective, v.Result, met, v.Cell)
}

// End is the last line of a result. It is missing if the process was killed.
type End struct {
	Plan     string `json:"plan"`     // its ID
	Complete bool   `json:"complete"` // false: interrupted, so that runs are missing
	Exit     int    `json:"exit"`     // zbench's exit code
}

// Data is the content of files of records.
type Data struct {
	Plans    []Plan
	Ends     []End
	Envs     []Env // each once, in file order
	Runs     []Run // in file order
	Verdicts []Verdict
}

// Ended returns how a plan ended; ok is false if its end is missing.
func (d *Data) Ended(plan string) (e End, ok bool) {
	return find(d.Ends, func(e End) bool { return e.Plan == plan })
}

// Partial reports whether a plan was interrupted or killed, so that runs are missing.
func (d *Data) Partial() bool {
	return slices.ContainsFunc(d.Plans, func(p Plan) bool {
		e, ok := d.Ended(p.ID)
		return !ok || !e.Complete
	})
}

// Env returns the environment of a run.
func (d *Data) Env(id string) (e Env, ok bool) {
	return find(d.Envs, func(e Env) bool { return e.ID == id })
}

// find returns the first element that meets a condition.
func find[T any](list []T, is func(T) bool) (found T, ok bool) {
	i := slices.IndexFunc(list, is)
	if i < 0 {
		return found, false
	}
	return list[i], true
}

// Cells returns the cells, each once, in the order of what they are: runs come in random
// order.
func (d *Data) Cells() []Cell {
	var cells []Cell
	for _, r := range d.Runs {
		if !slices.Contains(cells, r.Cell) {
			cells = append(cells, r.Cell)
		}
	}
	slices.SortStableFunc(cells, func(a, b Cell) int {
		return cmp.Or(cmp.Compare(b.Verb, a.Verb), cmp.Compare(a.Pattern, b.Pattern), cmp.Compare(a.Transport, b.Transport),
			cmp.Compare(a.Size, b.Size), cmp.Compare(b.Mode, a.Mode), cmp.Compare(a.Senders, b.Senders), cmp.Compare(a.Rate, b.Rate))
	})
	return cells
}

// Of returns the runs of a cell, including invalid ones.
func (d *Data) Of(c Cell) []Run {
	return slices.DeleteFunc(slices.Clone(d.Runs), func(r Run) bool { return r.Cell != c })
}

type head struct {
	Schema string `json:"schema"`
	Kind   string `json:"kind"` // "plan", "env", "run", "verdict" or "end"
}

// A Writer writes records as lines of JSON, each with one Write, so that an interruption
// leaves whole lines. Only one goroutine at a time may use it.
type Writer struct{ w io.Writer }

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w} }

// Write writes a record: a Plan, Env, Run, Verdict or End.
func (w *Writer) Write(v any) error {
	kind := strings.ToLower(reflect.TypeOf(v).Name())
	data, err := json.Marshal(v)
	if err == nil {
		_, err = fmt.Fprintf(w.w, "{\"schema\":%q,\"kind\":%q,%s\n", Schema, kind, data[1:])
	}
	if err != nil {
		return fmt.Errorf("cannot write a record: %w", err)
	}
	return nil
}

// Read adds the records of a stream to d; name is its name in errors. Other lines are
// skipped, records of a newer form refused.
func (d *Data) Read(name string, from io.Reader) error {
	lines := bufio.NewReader(from)
	for n := 1; ; n++ {
		text, err := lines.ReadBytes('\n')
		if bytes.HasPrefix(text, []byte(Prefix)) {
			if e := d.line(text); e != nil {
				return fmt.Errorf("%s:%d: %w", name, n, e)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
}

func (d *Data) line(text []byte) error {
	var h head
	if err := json.Unmarshal(text, &h); err != nil {
		return fmt.Errorf("incomplete record: %w", err)
	}
	if h.Schema != Schema {
		return fmt.Errorf("the record has the form %q, this zbench reads %q: use the version that wrote it", h.Schema, Schema)
	}
	switch h.Kind {
	case "plan":
		err := appendLine(&d.Plans, text)
		if i := len(d.Plans) - 1; err == nil && slices.ContainsFunc(d.Plans[:i], func(p Plan) bool { return p.ID == d.Plans[i].ID }) {
			err = fmt.Errorf("the result of plan %s was read before: name each file once", d.Plans[i].ID)
		}
		return err
	case "end":
		return appendLine(&d.Ends, text)
	case "verdict":
		return appendLine(&d.Verdicts, text)
	case "run":
		return appendLine(&d.Runs, text)
	case "env":
		var e Env
		if err := json.Unmarshal(text, &e); err != nil {
			return err
		}
		if _, ok := d.Env(e.ID); !ok {
			d.Envs = append(d.Envs, e)
		}
	}
	return nil // or a kind that was added later
}

func appendLine[T any](list *[]T, text []byte) error {
	var v T
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	*list = append(*list, v)
	return nil
}

// Load reads the named files; of a directory its results.jsonl; "-" is stdin.
func Load(stdin io.Reader, names ...string) (*Data, error) {
	d := &Data{}
	for _, name := range names {
		if err := d.load(stdin, name); err != nil {
			return nil, err
		}
	}
	if len(d.Runs) == 0 {
		return nil, Exitf(Usage, "no records in %s; make some with zbench thr -o DIR", strings.Join(names, ", "))
	}
	return d, nil
}

func (d *Data) load(stdin io.Reader, name string) error {
	if name == "-" {
		return d.Read("standard input", stdin)
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		name = filepath.Join(name, FileName)
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return Exitf(Usage, "no results: %w; make some with zbench thr -o DIR", err)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return d.Read(name, f)
}
