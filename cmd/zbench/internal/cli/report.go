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

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/result"
)

var reportFormats = []string{"text", "md", "csv", "bench", "html", "junit", "github"}

func newReport() *cobra.Command {
	format, out, expect, wide := "text", "", 0, false
	cmd := described("report", "report RESULT...", func(cmd *cobra.Command, names []string) error {
		var wrong []error
		if len(names) == 0 {
			wrong = append(wrong, errors.New("no RESULT: name a directory or file of results, or - for standard input"))
		}
		if !slices.Contains(reportFormats, format) {
			wrong = append(wrong, fmt.Errorf("--format %s: use one of %s", format, strings.Join(reportFormats, " ")))
		}
		if entries, err := os.ReadDir(out); out != "" && err == nil && len(entries) > 0 {
			wrong = append(wrong, fmt.Errorf("--out %s: the directory is not empty; remove it, or use another", out))
		}
		if ext := filepath.Ext(out); ext != "" && slices.Contains([]string{".html", ".md", ".csv", ".txt", ".json", ".jsonl"}, ext) {
			wrong = append(wrong, fmt.Errorf("--out %s: it is for a directory; use --format, and redirect the output to a file", out))
		}
		if err := errors.Join(wrong...); err != nil {
			return usagef("%w", err)
		}
		return runReport(cmd, names, format, out, expect, wide)
	})
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVarP(&out, "out", "o", "", "write all formats to a directory with this `path`")
	flags.StringVar(&format, "format", format, "one of "+strings.Join(reportFormats, ", "))
	flags.IntVar(&expect, "expect", 0, "number of hosts that should have taken part")
	flags.BoolVar(&wide, "wide", false, "show all columns")
	completeFlags(cmd, map[string][]string{"format": reportFormats})
	return cmd
}

func runReport(cmd *cobra.Command, names []string, format, out string, expect int, wide bool) error {
	data, err := record.Load(cmd.InOrStdin(), names...)
	if err != nil {
		return err
	}
	problems, err := data.MergeHosts(expect)
	if err != nil {
		return err
	}
	if out != "" {
		err = errors.Join(os.MkdirAll(out, 0o755), result.Render(out, data))
	} else {
		err = printReport(cmd.OutOrStdout(), data, format, wide)
	}
	if err != nil {
		return err
	}
	if expect > 0 && len(problems) > 0 {
		return record.Exitf(record.Unfit, "%s", strings.Join(problems, "\n"))
	}
	for _, p := range problems {
		fmt.Fprintln(cmd.ErrOrStderr(), "zbench:", p)
	}
	return nil
}

func printReport(w io.Writer, data *record.Data, format string, wide bool) error {
	switch format {
	case "bench":
		return result.Bench(w, data)
	case "csv":
		return result.CSV(w, data)
	case "html":
		return result.HTML(w, data)
	case "junit":
		return result.JUnit(w, result.Heading(data), result.Checks(data))
	case "github":
		var summary strings.Builder
		return errors.Join(result.Text(&summary, data, result.Detail{Format: "md", Source: true}), result.GitHub(w, summary.String(), result.Checks(data)))
	}
	return result.Text(w, data, result.Detail{Format: format, Wide: wide, Source: true})
}

var compareFormats = []string{"text", "md", "junit", "github"}

func newCompare() *cobra.Command {
	var limits, across []string
	var gates []result.Gate
	format, all := "text", false
	cmd := described("compare", "compare OLD NEW", func(cmd *cobra.Command, args []string) error {
		var wrong []error
		if len(args) != 2 {
			wrong = append(wrong, fmt.Errorf("%s given: name two, the old and the new", record.Count(len(args), "result")))
		}
		if !slices.Contains(compareFormats, format) {
			wrong = append(wrong, fmt.Errorf("--format %s: use one of %s", format, strings.Join(compareFormats, " ")))
		}
		for _, name := range across {
			if choices := result.Across(); !slices.Contains(choices, name) {
				wrong = append(wrong, fmt.Errorf("--across %s: use some of %s", name, strings.Join(choices, " ")))
			}
		}
		for _, text := range limits {
			g, err := result.ParseGate(text)
			if err != nil {
				wrong = append(wrong, err)
			}
			gates = append(gates, g)
		}
		if err := errors.Join(wrong...); err != nil {
			return usagef("%w", err)
		}
		return runCompare(cmd, args, gates, across, format, all)
	})
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringArrayVar(&limits, "fail-on", nil, "`limit` such as 'msg/s:-5%', exit code 99; repeatable")
	flags.StringSliceVar(&across, "across", nil, "`names` of what may differ, such as libzmq or size")
	flags.StringVar(&format, "format", format, "one of "+strings.Join(compareFormats, ", "))
	flags.BoolVar(&all, "all", false, "also show figures without a change that could be seen")
	completeFlags(cmd, map[string][]string{"format": compareFormats})
	return cmd
}

func runCompare(cmd *cobra.Command, args []string, gates []result.Gate, across []string, format string, all bool) error {
	var data [2]*record.Data
	for i, arg := range args {
		var err error
		names := strings.Split(arg, ",")
		if data[i], err = record.Load(cmd.InOrStdin(), names...); err != nil {
			return err
		}
		if _, err := data[i].MergeHosts(0); err != nil {
			return err
		}
	}
	c, err := result.Compare(data[0], data[1], gates, across...)
	if err != nil {
		return err
	}
	t := c.Table(all)
	switch out := cmd.OutOrStdout(); format {
	case "junit":
		err = result.JUnit(out, t.Title, c.Checks(gates))
	case "github":
		err = result.GitHub(out, t.In("md"), c.Checks(gates))
	default:
		fmt.Fprint(out, t.In(format))
	}
	return errors.Join(err, c.Check(gates))
}
