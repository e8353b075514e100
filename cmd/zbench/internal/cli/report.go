package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/report"
)

func newReport() *cobra.Command {
	var data, update, check string
	cmd := &cobra.Command{
		Use:    "report",
		Hidden: true, // for those who work on go-zmq
		Short:  "make tables of go test -bench output",
		Long: `Makes Markdown tables of a result of 'make bench': medians with their 95 %
confidence intervals, and the ratio to C.

Without --update or --check, the tables go to standard output. --update replaces
those of a Markdown file, each between <!-- zbench:BEGIN name --> and
<!-- zbench:END name -->. --check changes nothing, and exits with 99 when --update
would.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if data == "" {
				return usagef("--data is missing: name a file of go test -bench output, or its directory, such as bench/results/2026-11-21")
			}
			if update != "" && check != "" {
				return usagef("--update and --check exclude each other: choose one")
			}
			tables, err := report.Load(data)
			if err != nil {
				return err
			}
			switch {
			case update != "":
				return tables.Update(update)
			case check != "":
				return tables.Check(check)
			}
			fmt.Fprint(cmd.OutOrStdout(), tables.All())
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&data, "data", "", "file of go test -bench output, or its directory")
	flags.StringVar(&update, "update", "", "Markdown file whose tables are replaced")
	flags.StringVar(&check, "check", "", "Markdown file whose tables are compared")
	return cmd
}
