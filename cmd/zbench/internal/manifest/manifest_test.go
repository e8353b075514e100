package manifest_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/manifest"
)

var update = flag.Bool("update", false, "write testdata")

func plain() manifest.Options {
	return manifest.Options{
		Name: "zbench", Image: "example.org/zbench:v1", Agents: 3, Plan: "measure: lat\nsize: [64, 1KiB]\n",
		CPU: "2", Memory: "1Gi", Deadline: 30 * time.Minute, Port: 5600,
	}
}

func every() manifest.Options {
	o := plain()
	o.Name, o.Namespace, o.CPU = "run-7", "load", "500m"
	o.Plan = "# \"quotes\": 'and'\n---\nslo: 'p99<1ms'\n\t{{.Name}}\n"
	o.NodeSelector = map[string]string{"kubernetes.io/arch": "amd64", "pool": "bench"}
	o.HostNetwork, o.SameNode, o.TCPOnly, o.KeySecret = true, true, true, "zbench-key"
	return o
}

// The manifests are in testdata, where another module decodes them into the types of
// Kubernetes.
func TestGolden(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]manifest.Options{"plain": plain(), "every": every()} {
		require.Empty(t, o.Check())
		var b bytes.Buffer
		require.NoError(t, o.Write(&b))
		path := filepath.Join("testdata", name+".yaml")
		if *update {
			require.NoError(t, os.WriteFile(path, b.Bytes(), 0o644))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(want), b.String(), "go test ./internal/manifest -update writes it again")
	}
}

// A plan comes out as it went in, whatever is in it.
func TestPlanIsKept(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "a: b", every().Plan, "é \u2028 \x00 <&>\r\n", strings.Repeat("x\n", 1000)} {
		o := plain()
		o.Plan = text
		var b bytes.Buffer
		require.NoError(t, o.Write(&b))
		documents := yaml.NewDecoder(&b)
		var parsed struct {
			Kind string
			Data map[string]string
		}
		for parsed.Kind != "ConfigMap" {
			require.NoError(t, documents.Decode(&parsed))
		}
		require.Equal(t, text, parsed.Data["plan.yaml"])
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*manifest.Options){
		"--name":          func(o *manifest.Options) { o.Name = strings.Repeat("a", 58) },
		"--namespace":     func(o *manifest.Options) { o.Namespace = "-" },
		"--key-secret":    func(o *manifest.Options) { o.KeySecret = "a b" },
		"--image":         func(o *manifest.Options) { o.Image = "a b" },
		"--agents":        func(o *manifest.Options) { o.Agents = 1 },
		"--cpu":           func(o *manifest.Options) { o.CPU = "two" },
		"--memory":        func(o *manifest.Options) { o.Memory = "" },
		"--deadline":      func(o *manifest.Options) { o.Deadline = 0 },
		"--node-selector": func(o *manifest.Options) { o.NodeSelector = map[string]string{"a: b": "c"} },
		"the plan":        func(o *manifest.Options) { o.Plan = strings.Repeat("x", 1<<20) },
	} {
		o := plain()
		spoil(&o)
		problems := o.Check()
		require.Len(t, problems, 1, name)
		require.ErrorContains(t, problems[0], name)
	}
}
