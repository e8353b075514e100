package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// addCompletion adds cobra's command now, for the reference to have it, and gives it
// our errors.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		var shells []string
		for _, shell := range cmd.Commands() {
			shells = append(shells, shell.Name())
			shell.Args = noArguments
		}
		slices.Sort(shells)
		cmd.Short = "completion of commands and flags for a shell: " + strings.Join(shells, ", ")
		cmd.Long = "Prints a script that makes a shell complete zbench's commands, flags and their values.\n" +
			"'zbench completion SHELL -h' says where it goes."
		cmd.Use = "completion SHELL"
		cmd.Example = "  source <(zbench completion bash)"
		cmd.Args = nil
		cmd.RunE = func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("which shell? one of %s", strings.Join(shells, ", "))
			}
			return usagef("no completion for %q; there is one for %s", args[0], strings.Join(shells, ", "))
		}
	}
}
