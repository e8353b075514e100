package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/report"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

const reportLong = `Makes tables and plots of results that were measured before: of zbench's records, or
of what go test -bench prints. A RESULT is a file, a directory that has results.jsonl
or bench.txt, or - for standard input, of which lines that are no records are passed
over. Runs of the same in several results count as runs of one.

Figures are medians with their 95 % confidence intervals, beside the same loop in C.

In Markdown files, --update replaces the tables and plots, each between two lines:

  <!-- zbench:BEGIN name results -->
  <!-- zbench:END name -->

The name is a table's, such as routerrouter, or a plot's, such as
plot-throughput-routerrouter; the results are seen from the file's directory, and
separated by commas; without any, they are those of the command line. --check
changes nothing, and exits with 99 when --update would.

Results that readers cannot rely on are refused by --update, unless an --allow flag
takes them. What --allow-noisy is for is said on standard error when they are shown
otherwise or checked.`

// reportFlags are those of report.
type reportFlags struct {
	data, format, out, plots string
	update, check            []string
	force                    bool
	allow                    report.Allowed
}

var formats = []string{"text", "md", "csv", "bench", "html"}

func newReport() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report [RESULT]...",
		Short: "tables and plots of results: text, Markdown, CSV, HTML, SVG",
		Long:  reportLong,
		Example: `  zbench report results/
  zbench report results/ -o pages/
  kubectl logs job/zbench | zbench report - --format md
  zbench report --check BENCHMARKS.md`,
		RunE: func(cmd *cobra.Command, results []string) error {
			if f.data != "" {
				results = append([]string{f.data}, results...)
			}
			if err := f.validate(results); err != nil {
				return usageError{err}
			}
			return f.run(cmd, results)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.data, "data", "", "another `RESULT`")
	flags.StringVar(&f.format, "format", "text", "what is printed: "+strings.Join(formats, ", "))
	flags.StringVarP(&f.out, "out", "o", "", "directory `DIR` for all formats and the plots")
	flags.StringVar(&f.plots, "plots", "", "directory `DIR` for the plots as SVG; of --update and --check as seen from the file, bench/plots if not given")
	flags.StringArrayVar(&f.update, "update", nil, "Markdown `FILE` whose tables and plots are replaced; may be repeated")
	flags.StringArrayVar(&f.check, "check", nil, "Markdown `FILE` whose tables and plots are compared; may be repeated")
	flags.BoolVar(&f.force, "force", false, "replace the tables and plots in a directory that is not empty")
	flags.BoolVar(&f.allow.Dirty, "allow-dirty", false, "--update from results of a tree with changes")
	flags.BoolVar(&f.allow.Few, "allow-few", false, "--update from fewer than 6 runs")
	flags.BoolVar(&f.allow.Instrumented, "allow-instrumented", false, "--update from results of a build with -race, -asan or -msan")
	flags.BoolVar(&f.allow.Noisy, "allow-noisy", false, "--update from a machine that had other things to do, or from runs that were disturbed")
	completeWords(cmd, map[string][]string{"format": formats})
	return cmd
}

// validate finds everything that is wrong, not only the first.
func (f *reportFlags) validate(results []string) error {
	var wrong []error
	documents := len(f.update) + len(f.check)
	if len(results) == 0 && documents == 0 {
		wrong = append(wrong, errors.New("no RESULT: name a file or directory of results, such as bench/results/2026-11-21-rounds, or - for standard input"))
	}
	if len(f.update) > 0 && len(f.check) > 0 {
		wrong = append(wrong, errors.New("--update and --check exclude each other: choose one"))
	}
	if documents > 0 && f.out != "" {
		wrong = append(wrong, errors.New("--out is not for --update and --check, which write into the files: leave it out"))
	}
	if !slices.Contains(formats, f.format) {
		wrong = append(wrong, fmt.Errorf("--format %q: use one of %s", f.format, strings.Join(formats, ", ")))
	}
	if len(results) > 1 && slices.Contains(results, "-") && slices.Index(results, "-") != lastIndex(results, "-") {
		wrong = append(wrong, errors.New("standard input is there twice: it can be read once"))
	}
	if f.out != "" && !f.force {
		if list, err := os.ReadDir(f.out); err == nil && len(list) > 0 {
			wrong = append(wrong, fmt.Errorf("--out %s is not empty: choose another directory, or write over it with --force", f.out))
		}
	}
	return errors.Join(wrong...)
}

func lastIndex(list []string, one string) int {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i] == one {
			return i
		}
	}
	return -1
}

func (f *reportFlags) run(cmd *cobra.Command, results []string) error {
	var data *series.Set
	if len(results) > 0 {
		var err error
		if data, err = series.Load(results, cmd.InOrStdin()); err != nil {
			return err
		}
	}
	if len(f.update)+len(f.check) > 0 {
		return f.documents(cmd, data)
	}
	for _, why := range data.Unfit {
		fmt.Fprintf(cmd.ErrOrStderr(), "zbench: %s\n", why)
	}
	if f.out != "" {
		return report.WriteDir(f.out, data)
	}
	if f.plots != "" {
		return report.WritePlots(f.plots, data)
	}
	return printReport(cmd.OutOrStdout(), data, f.format)
}

// documents goes through the Markdown files. The check looks at all of them, so that
// one run tells of all that is stale.
func (f *reportFlags) documents(cmd *cobra.Command, data *series.Set) error {
	plots := f.plots
	if plots == "" {
		plots = "bench/plots"
	}
	var failed, stale []error
	for _, path := range slices.Concat(f.update, f.check) {
		doc := report.Document{Path: path, Data: data, Plots: filepath.ToSlash(plots)}
		doc.Note = func(why string) { fmt.Fprintf(cmd.ErrOrStderr(), "zbench: %s: %s\n", path, why) }
		if len(f.check) > 0 {
			if err := doc.Check(); errors.Is(err, report.ErrStale) {
				stale = append(stale, err)
			} else {
				failed = append(failed, err)
			}
			continue
		}
		err := doc.Update(f.allow)
		if refused := (report.RefusedError{}); errors.As(err, &refused) {
			err = usageError{err}
		}
		failed = append(failed, err)
	}
	if err := errors.Join(failed...); err != nil {
		if len(stale) > 0 { // said, too, but what could not be looked at gives the exit code
			return fmt.Errorf("%w\n%v", err, errors.Join(stale...))
		}
		return err
	}
	return errors.Join(stale...)
}

func printReport(w io.Writer, data *series.Set, format string) error {
	switch format {
	case "bench":
		return data.WriteBench(w)
	case "html":
		page, err := report.HTML(data)
		if err != nil {
			return err
		}
		_, err = w.Write(page)
		return err
	}
	_, err := io.WriteString(w, report.Render(data, format))
	return err
}
