package cli

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/cluster"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/manifest"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
)

func newK8s() *cobra.Command {
	o := manifest.Options{Port: cluster.DefaultPort}
	file := ""
	cmd := &cobra.Command{
		Use:   "k8s",
		Short: "prints a Job of Kubernetes: a coordinator and agents on nodes of their own",
		Long: `Prints a Service, a ConfigMap with the plan, and an Indexed Job, and nothing else.
Nothing is contacted, and the pods need no permissions. Pod 0 is the coordinator: it
writes the records to standard output and the tables to standard error. The Job
fails with the coordinator, so that an objective can stop a pipeline.

Whether the plan can be measured is looked at here, except for what depends on the
image's libzmq.

  zbench k8s -f plan.yaml --agents 3 --image IMG | kubectl apply -f -
  kubectl wait --for=condition=complete --timeout=30m job/zbench
  kubectl logs -l job-name=zbench,batch.kubernetes.io/job-completion-index=0 --tail=-1 | zbench report - -o results/`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			unread := (&plan.Plan{}).Read(cmd.Flags(), os.LookupEnv)
			if err := errors.Join(unread, checkK8s(&o, file)); err != nil {
				return usageError{err}
			}
			return o.Write(cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&file, "file", "f", "", "plan file, as zbench coordinator takes it")
	f.IntVar(&o.Agents, "agents", 3, "pods that measure, beside the coordinator's")
	f.StringVar(&o.Image, "image", "", "image whose entry point is zbench")
	f.StringVar(&o.Name, "name", "zbench", "of the Job, the Service and the ConfigMap")
	f.StringVar(&o.Namespace, "namespace", "", "to put them in (default kubectl's)")
	f.StringVar(&o.CPU, "cpu", "2", "processors of each pod; whole numbers can be pinned by the node")
	f.StringVar(&o.Memory, "memory", "1Gi", "memory of each pod")
	f.DurationVar(&o.Deadline, "deadline", 30*time.Minute, "after which Kubernetes ends the Job")
	f.StringToStringVar(&o.NodeSelector, "node-selector", nil, "label=value of nodes to use")
	f.BoolVar(&o.HostNetwork, "host-network", false, "the nodes' network instead of the pods'")
	f.BoolVar(&o.SameNode, "same-node", false, "let pods share a node: what the pods' network costs without a wire")
	f.BoolVar(&o.TCPOnly, "tcp-only", false, "leave out transports of the plan that do not cross hosts")
	f.StringVar(&o.KeySecret, "key-secret", "", "Secret whose entry \"key\" is the ZBENCH_KEY of all pods")
	plan.Gather(f)
	return cmd
}

// checkK8s reads the plan, and reports all that is wrong with it and the options.
func checkK8s(o *manifest.Options, file string) error {
	problems := plan.Problems(o.Check())
	if file == "" {
		return append(problems, fmt.Errorf("the plan is missing: name it with --file"))
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return append(problems, fmt.Errorf("--file: %w", err))
	}
	o.Plan = string(data)
	c := newCoordination()
	flags := pflag.NewFlagSet("plan", pflag.ContinueOnError)
	c.flags(flags)
	if o.Agents >= 2 {
		c.Expect = o.Agents
	}
	c.tcpOnly = o.TCPOnly
	if err := flags.Set("file", file); err != nil {
		return append(problems, err)
	}
	if err := c.read(flags, func(string) (string, bool) { return "", false }); err != nil {
		problems = append(problems, err)
	}
	c.Expect = max(o.Agents, 2) // else it is in the list already
	everything := plan.Facts{Has: func(string) bool { return true }, Limits: machine.Limits{}}
	if _, err := c.check(everything); err != nil {
		problems = append(problems, err)
	}
	if len(problems) > 0 {
		return problems
	}
	return nil
}
