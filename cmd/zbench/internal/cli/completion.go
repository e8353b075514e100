package cli

import (
	"slices"
	"strings"

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
			complete = nextWord(words[f.Name])
		case f.Name == "out" || f.Name == "file" || f.NoOptDefVal != "":
			return
		}
		if err := cmd.RegisterFlagCompletionFunc(f.Name, complete); err != nil {
			panic(err) // the flag exists, and has no other
		}
	})
}

// nextWord completes the last word of a list, without those that are there.
func nextWord(values []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		before := begun[:strings.LastIndexByte(begun, ',')+1]
		var offered []string
		for _, v := range values {
			if !slices.Contains(strings.Split(before, ","), v) {
				offered = append(offered, before+v)
			}
		}
		return offered, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}
