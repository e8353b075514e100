package k8stest

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
)

// composeFile is seen from here.
var composeFile = filepath.Join("..", "..", "..", "..", "..", "examples", "compose.yaml")

// compose loads a file as docker compose does, with its schema, in which nothing may be
// that it does not know.
func compose(t *testing.T, text string, env types.Mapping) (*types.Project, error) {
	t.Helper()
	dir, err := filepath.Abs(filepath.Dir(composeFile))
	require.NoError(t, err)
	return loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir:  dir,
		ConfigFiles: []types.ConfigFile{{Filename: filepath.Join(dir, "compose.yaml"), Content: []byte(text)}},
		Environment: env,
	})
}

// flag returns the value of a flag of a command.
func flag(t *testing.T, command []string, name string) string {
	t.Helper()
	for _, word := range command {
		if value, ok := strings.CutPrefix(word, "--"+name+"="); ok {
			return value
		}
	}
	require.Fail(t, "no --"+name, "in %v", command)
	return ""
}

// What the parts of the compose file say of each other fits.
func TestCompose(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(composeFile)
	require.NoError(t, err)
	p, err := compose(t, string(text), types.Mapping{"ZBENCH_KEY": "a secret"})
	require.NoError(t, err)
	require.Equal(t, "zbench", p.Name)
	require.Len(t, p.Services, 2)
	coordinator, agent := p.Services["coordinator"], p.Services["agent"]

	require.Equal(t, "coordinator", coordinator.Command[0])
	require.Equal(t, "agent", agent.Command[0])
	require.NotNil(t, agent.Deploy.Replicas)
	require.EqualValues(t, 3, *agent.Deploy.Replicas)
	require.Equal(t, "3", flag(t, coordinator.Command, "expect"))
	join, err := url.Parse(flag(t, agent.Command, "join"))
	require.NoError(t, err)
	require.Equal(t, coordinator.Name, join.Hostname())
	require.Equal(t, "tcp://*:"+join.Port(), flag(t, coordinator.Command, "listen"))
	require.Contains(t, agent.DependsOn, coordinator.Name)
	require.Equal(t, flag(t, coordinator.Command, "out"), coordinator.Volumes[0].Target)
	require.Contains(t, p.Volumes, coordinator.Volumes[0].Source)

	for _, s := range p.Services {
		require.Equal(t, "a secret", *s.Environment["ZBENCH_KEY"])
		require.True(t, s.ReadOnly)
		require.Equal(t, []string{"ALL"}, s.CapDrop)
		require.FileExists(t, filepath.Join(s.Build.Context, s.Build.Dockerfile))
		require.FileExists(t, filepath.Join(s.Build.Context, "go.work"))
	}
	require.True(t, p.Networks["default"].Internal)

	p, err = compose(t, string(text), nil)
	require.NoError(t, err)
	require.Empty(t, *p.Services["agent"].Environment["ZBENCH_KEY"])
}

// The image is what the manifest of zbench k8s and the compose file want of it.
func TestDockerfile(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "Dockerfile"))
	require.NoError(t, err)
	user := *decode(t, "plain.yaml").job.Spec.Template.Spec.Containers[0].SecurityContext.RunAsUser
	require.EqualValues(t, 65532, user)
	require.Contains(t, string(text), "\nUSER 65532:65532\n")
	require.Contains(t, string(text), "\nENTRYPOINT [\"zbench\"]\n")
	require.Contains(t, string(text), "install -d -o 65532 -g 65532 /results")

	// The Go that go.mod wants.
	module, err := os.ReadFile(filepath.Join("..", "..", "..", "go.mod"))
	require.NoError(t, err)
	require.Regexp(t, `(?m)^go 1\.26`, string(module))
	require.Contains(t, string(text), "\nFROM golang:1.26-")
}

// Strict means that: what Compose does not know is an error.
func TestComposeStrict(t *testing.T) {
	t.Parallel()
	_, err := compose(t, "name: x\nservices: {a: {image: b, comand: [c]}}\n", nil)
	require.ErrorContains(t, err, "comand")
}
