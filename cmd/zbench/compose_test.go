package main_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// TestComposeCommands runs what the containers of examples/compose.yaml run, here, with
// another port and directory, and less to do.
func TestComposeCommands(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "compose.yaml"))
	require.NoError(t, err)
	var file struct {
		Services map[string]struct {
			Command []string
			Deploy  struct{ Replicas int }
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	dir := filepath.Join(t.TempDir(), "results")
	replace := func(command []string, flag, value string) []string {
		i := slices.IndexFunc(command, func(word string) bool { return strings.HasPrefix(word, "--"+flag+"=") })
		require.GreaterOrEqual(t, i, 0, "--%s in %v", flag, command)
		command[i] = "--" + flag + "=" + value
		return command
	}
	command := file.Services["coordinator"].Command
	for flag, value := range map[string]string{"listen": "tcp://127.0.0.1:*", "out": dir, "duration": "200ms", "repeat": "1"} {
		command = replace(command, flag, value)
	}
	c := begin(t, nil, nil, append(command, "--warmup=50ms")...)
	join := c.says(`^zbench: waiting for \d agents at (tcp://.*)$`)[1]
	agent := file.Services["agent"]
	require.Equal(t, 3, agent.Deploy.Replicas)
	var agents []*process
	for range agent.Deploy.Replicas {
		agents = append(agents, begin(t, nil, nil, replace(agent.Command, "join", join)...))
	}
	c.ends(0)
	for _, a := range agents {
		a.ends(0)
	}
	require.Contains(t, c.out.String(), "Throughput, one way")
	require.FileExists(t, filepath.Join(dir, "report.html"))
}
