package report

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/result"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

// Render returns all tables as "text", "md" or "csv".
func Render(d *series.Set, format string) string {
	var b strings.Builder
	for _, t := range All(d) {
		switch format {
		case "md":
			fmt.Fprintf(&b, "### %s\n\n%s\n", t.Name, t.Markdown())
		case "csv":
			fmt.Fprintf(&b, "# %s\n%s\n", t.Name, t.CSV())
		default:
			fmt.Fprintf(&b, "%s\n\n%s\n", strings.ToUpper(t.Name), t.Text())
		}
	}
	return b.String()
}

// Clear removes what a directory has of an earlier result, except for its records and
// its plan: by their names, so that files of others stay.
func Clear(dir string) error {
	names := []string{"report.html", "summary.md"}
	for _, f := range figures {
		names = append(names, filepath.Join("plots", f.name+".svg"))
	}
	failed := []error{result.Clear(dir)}
	for _, name := range names {
		if err := os.Remove(filepath.Join(dir, name)); !errors.Is(err, os.ErrNotExist) {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// A file is a name and what it holds.
type file struct {
	path string
	text []byte
}

// WriteDir writes every format into a directory, in place of what that has of an earlier
// result: the same results give the same files. Those of records are the ones that who
// measures them with --out has, too.
func WriteDir(dir string, d *series.Set) error {
	files := []file{{"summary.md", []byte(Render(d, "md"))}}
	if d.Records == nil || d.Lines {
		var bench bytes.Buffer
		if err := d.WriteBench(&bench); err != nil {
			return err
		}
		files = append(files, file{"summary.csv", []byte(Render(d, "csv"))}, file{"bench.txt", bench.Bytes()})
	}
	if d.Records != nil {
		var lines bytes.Buffer
		w := record.NewWriter(&lines)
		if err := writeRecords(w, d.Records); err != nil {
			return err
		}
		files = append(files, file{record.FileName, lines.Bytes()})
	}
	if err := errors.Join(os.MkdirAll(dir, 0o755), Clear(dir)); err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.path), f.text, 0o644); err != nil {
			return err
		}
	}
	if d.Records != nil && !d.Lines {
		if err := result.Render(dir, d.Records); err != nil {
			return err
		}
	}
	return WritePages(dir, d)
}

// WritePages writes report.html and the plots into a directory.
func WritePages(dir string, d *series.Set) error {
	page, err := HTML(d)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "report.html"), page, 0o644); err != nil {
		return err
	}
	return WritePlots(filepath.Join(dir, "plots"), d)
}

// WritePlots writes every plot that the results have something for, as NAME.svg.
func WritePlots(dir string, d *series.Set) error {
	all, err := Figures(d)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, f := range all {
		svg, err := f.SVG()
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name+".svg"), svg, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// writeRecords writes the records of several results as those of one.
func writeRecords(w *record.Writer, data *record.Data) error {
	var failed []error
	for _, plan := range data.Plans {
		failed = append(failed, w.Plan(plan))
	}
	for _, env := range data.Envs {
		failed = append(failed, w.Env(env))
	}
	for _, run := range data.Runs {
		failed = append(failed, w.Run(run))
	}
	for _, end := range data.Ends {
		failed = append(failed, w.End(end))
	}
	return errors.Join(failed...)
}
