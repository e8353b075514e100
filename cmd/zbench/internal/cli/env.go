package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
)

func newEnv() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "env",
		Short: "what is measured with and on, and whether to trust the numbers",
		Long:  "Prints the versions, the library and the machine, and what makes absolute numbers\nfrom it doubtful. It measures nothing, and names neither the host nor the user.",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, err := machine.Look()
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(info)
			}
			printEnv(cmd.OutOrStdout(), info)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a line of JSON")
	return cmd
}

func printEnv(w io.Writer, i machine.Info) {
	row := func(name string, value any) { fmt.Fprintf(w, "%-13s %v\n", name, value) }
	row("zbench", i.Zbench)
	row("go", i.Go)
	row("libzmq", i.Libzmq)
	row("library", i.Library)
	row("capabilities", strings.Join(i.Capabilities, " "))
	row("system", i.System)
	row("cpu", i.CPU)
	row("cores", i.Cores)
	row("GOMAXPROCS", i.GOMAXPROCS)
	row("virtual", i.Virtual)
	if i.Governor != "" {
		row("governor", i.Governor)
	}
	row("load", i.Load)
	doubts := i.Doubts()
	for _, doubt := range doubts {
		fmt.Fprintln(w, "!", doubt)
	}
	if len(doubts) == 0 {
		fmt.Fprintln(w, "nothing here makes the numbers doubtful")
	}
}
