package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
)

// completeWords makes a shell offer the words that flags take of which there are few.
func completeWords(cmd *cobra.Command, words map[string][]string) {
	for flag, values := range words {
		registerCompletion(cmd, flag, oneOfList(cmd, flag, values))
	}
}

// completeRest says what is offered for all that no words were given for: files where a
// file is named, commands' own for what Cobra adds, and otherwise nothing, where a shell
// would offer files.
func completeRest(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		completeRest(sub)
	}
	if cmd.ValidArgsFunction == nil && !cmd.HasSubCommands() && !takesFiles[cmd.Name()] {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if _, has := cmd.GetFlagCompletionFunc(f.Name); has || f.Value.Type() == "bool" {
			return
		}
		endings, isFile := files[f.Name]
		if kind, _ := pflag.UnquoteUsage(f); strings.EqualFold(kind, "file") {
			isFile = true
		}
		switch {
		case f.Name == "sockopt":
			registerCompletion(cmd, f.Name, optionNames(cmd.Name()))
		case !isFile:
			registerCompletion(cmd, f.Name, cobra.NoFileCompletions)
		case endings == directory:
			registerCompletion(cmd, f.Name, cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs))
		case endings != "":
			registerCompletion(cmd, f.Name, cobra.FixedCompletions(strings.Fields(endings), cobra.ShellCompDirectiveFilterFileExt))
		}
	})
}

// optionNames completes NAME=, behind which comes a number, with the names that a verb has.
func optionNames(verb string) cobra.CompletionFunc {
	names := load.OptionNames()
	if verb == plan.Thr {
		names = load.ThroughputOptions()
	}
	for i := range names {
		names[i] += "="
	}
	return cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace)
}

// directory is the ending of flags that name a directory.
const directory = "/"

// files are the flags that name a file or a directory: the endings of what is offered;
// "" is any file.
var files = map[string]string{
	"engine": "so 5 dylib", "file": "yaml yml", "out": directory, "plots": directory,
	"update": "md", "check": "md", "data": "", "payload": "",
	"cpuprofile": "", "memprofile": "", "mutexprofile": "", "blockprofile": "", "trace": "",
}

// oneOfList completes the last of the words that a comma separates, and does not offer
// one again. Where a flag takes a single word, a comma is part of no word.
func oneOfList(cmd *cobra.Command, flag string, values []string) cobra.CompletionFunc {
	if cmd.Flags().Lookup(flag).Value.Type() != "list" {
		return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	}
	return func(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		before := begun[:strings.LastIndexByte(begun, ',')+1]
		var offered []string
		for _, v := range values {
			if !slices.Contains(strings.Split(before, ","), v) {
				offered = append(offered, before+v)
			}
		}
		// Another may follow.
		return offered, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// registerCompletion says what completes a flag that the command has.
func registerCompletion(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	// It fails only for a flag that is not there, or that has one.
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err)
	}
}

// takesFiles are the commands whose arguments are results.
var takesFiles = map[string]bool{"compare": true, "report": true}
