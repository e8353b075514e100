// Package result keeps a measurement in a directory.
package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// Directory is a result that grows: results.jsonl has each run as soon as it is
// there. The other files are renderings of it, made at the end.
type Directory struct {
	path string
	file *os.File
	*record.Writer
}

// Open makes the directory, and results.jsonl in it. add keeps what results.jsonl
// has.
func Open(path string, add bool) (*Directory, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, err
	}
	flags := os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	if add {
		flags = os.O_CREATE | os.O_WRONLY | os.O_APPEND
	}
	f, err := os.OpenFile(filepath.Join(path, record.FileName), flags, 0o644)
	if err != nil {
		return nil, err
	}
	return &Directory{path, f, record.NewWriter(f)}, nil
}

// Path returns a path in the directory.
func (d *Directory) Path(name string) string { return filepath.Join(d.path, name) }

// Close writes the renderings of all that results.jsonl has.
func (d *Directory) Close() error {
	if err := d.file.Close(); err != nil {
		return err
	}
	data := &record.Data{}
	f, err := os.Open(d.Path(record.FileName))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := data.Read(f.Name(), f); err != nil {
		return err
	}
	return Render(d.path, data)
}

// Clear removes what Render has written into a directory.
func Clear(dir string) error {
	failed := []error{os.RemoveAll(filepath.Join(dir, "hist"))}
	for _, name := range []string{"bench.txt", "summary.csv", "env.json"} {
		if err := os.Remove(filepath.Join(dir, name)); !errors.Is(err, os.ErrNotExist) {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// Render writes what else a result's directory has of its records: bench.txt,
// summary.csv, env.json and hist. Those of an earlier result are replaced.
func Render(dir string, data *record.Data) error {
	var bench, summary, env bytes.Buffer
	if err := errors.Join(Bench(&bench, data), CSV(&summary, data)); err != nil {
		return err
	}
	encoder := json.NewEncoder(&env)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(data.Envs); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "bench.txt"), bench.Bytes(), 0o644),
		os.WriteFile(filepath.Join(dir, "summary.csv"), summary.Bytes(), 0o644),
		os.WriteFile(filepath.Join(dir, "env.json"), env.Bytes(), 0o644),
		histograms(filepath.Join(dir, "hist"), data))
}

// histograms writes a HdrHistogram log for each cell: one histogram a run and kind,
// with the kind as its tag.
func histograms(dir string, data *record.Data) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	var names record.FileNames
	for _, cell := range data.Cells() {
		var log bytes.Buffer
		some, err := writeHistograms(&log, data.Of(cell))
		if err != nil {
			return err
		}
		if !some {
			continue
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, names.Of(cell)+".hlog"), log.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func writeHistograms(to *bytes.Buffer, runs []record.Run) (some bool, err error) {
	w := hdr.NewHistogramLogWriter(to)
	if err := errors.Join(w.OutputComment("[zbench, nanoseconds]"), w.OutputLogFormatVersion(), w.OutputLegend()); err != nil {
		return false, err
	}
	for _, r := range runs {
		for _, name := range []string{record.RTT, record.Due, record.Sent, record.Pacer, record.Machine} {
			l := r.Latency[name]
			if l == nil || !r.Valid() {
				continue
			}
			h, err := l.Histogram()
			if err != nil {
				return false, err
			}
			h.SetTag(name)
			h.SetStartTimeMs(r.Start.UnixMilli())
			h.SetEndTimeMs(r.Start.Add(r.Method.Warmup + r.Elapsed).UnixMilli())
			if err := w.OutputIntervalHistogram(h); err != nil {
				return false, err
			}
			some = true
		}
	}
	return some, nil
}

// number writes a figure with enough digits, and without an exponent that a
// spreadsheet would misread.
func number(v float64) string {
	if v != 0 && (v < 0.0001 || v >= 1e15) {
		return fmt.Sprintf("%.4g", v)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
