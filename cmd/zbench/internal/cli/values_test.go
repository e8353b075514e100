package cli

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// No flag with a value is left to the shell, which would offer files for all of them;
// those that name a file are in the list.
func TestEveryFlagIsCompleted(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			seen[f.Name] = true
			_, has := cmd.GetFlagCompletionFunc(f.Name)
			endings, isFile := files[f.Name]
			require.True(t, has || f.Value.Type() == "bool" || isFile && endings == "", "%s --%s", cmd.CommandPath(), f.Name)
		})
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(newRoot())
	for name := range files {
		require.True(t, seen[name], "no command has --%s", name)
	}
}
