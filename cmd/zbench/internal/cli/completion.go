package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// completeFlags makes a shell offer the words that flags take, files where a file is
// meant, and otherwise nothing.
func completeFlags(cmd *cobra.Command, words map[string][]string) {
	if cmd.Args != nil {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		complete := cobra.NoFileCompletions
		switch {
		case words[f.Name] != nil:
			complete = cobra.FixedCompletions(words[f.Name], cobra.ShellCompDirectiveNoFileComp)
		case f.Name == "out" || f.Name == "file" || f.NoOptDefVal != "":
			return
		}
		if err := cmd.RegisterFlagCompletionFunc(f.Name, complete); err != nil {
			panic(err) // the flag exists, and has no other
		}
	})
}
