package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// addCompletion adds cobra's completion scripts, with our errors.
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
		cmd.Use, cmd.Short = "completion SHELL", "completion for a shell: "+strings.Join(shells, ", ")
		cmd.Long, cmd.Example = "Prints a script that completes verbs, flags and their values.", "  source <(zbench completion bash)"
		cmd.Args = nil
		cmd.RunE = func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("which shell? one of %s", strings.Join(shells, ", "))
			}
			return usagef("no completion for %q; there is one for %s", args[0], strings.Join(shells, ", "))
		}
	}
}

// takeFiles are flags whose values are files.
var takeFiles = []string{"out", "file"}

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
		case slices.Contains(takeFiles, f.Name) || f.Value.Type() == "bool":
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
