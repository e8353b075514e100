package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
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

Standard error says why readers could not rely on the results.`

// reportFlags are those of report.
type reportFlags struct {
	data, format, out, plots string
	force                    bool
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
  kubectl logs job/zbench | zbench report - --format md`,
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
	flags.StringVar(&f.plots, "plots", "", "directory `DIR` for the plots as SVG")
	flags.BoolVar(&f.force, "force", false, "replace the tables and plots in a directory that is not empty")
	completeWords(cmd, map[string][]string{"format": formats})
	return cmd
}

// validate finds everything that is wrong, not only the first.
func (f *reportFlags) validate(results []string) error {
	var wrong []error
	if len(results) == 0 {
		wrong = append(wrong, errors.New("no RESULT: name a file or directory of results, such as bench/results/2026-11-21-rounds, or - for standard input"))
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
	data, err := series.Load(results, cmd.InOrStdin())
	if err != nil {
		return err
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
