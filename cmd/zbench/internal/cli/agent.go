package cli

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/cluster"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

func newAgent() *cobra.Command {
	cfg := cluster.AgentConfig{Versions: cluster.OwnVersions()}
	cmd := &cobra.Command{
		Use:   "agent",
		Short: "one host of a measurement that a coordinator leads",
		Long: `Dials a coordinator, measures what that says, and ends with it: with exit code 0
when all was done, 1 when the coordinator gave up or has gone, 2 when it does not
want this agent (another version, too many agents), 3 when it was not found.

Agents and coordinator may be started in any order. Other agents are told the
address of this host that leads to the coordinator; --advertise names another. The
host's name is for the coordinator's terminal and not in its results, where
agents have numbers, or the --name that is given; in Kubernetes, NODE_NAME, which
the manifest of zbench k8s sets, is there, too.
` + environment + `
  zbench agent --join tcp://host-0:5600`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkAgent(cmd, &cfg); err != nil {
				return usageError{err}
			}
			info, err := machine.Look()
			if err != nil {
				return err
			}
			cfg.Env, cfg.Key = record.NewEnv(info), os.Getenv(cluster.KeyVariable)
			cfg.Node = os.Getenv(cluster.NodeVariable)
			cfg.Say = func(format string, args ...any) { fmt.Fprintf(cmd.ErrOrStderr(), "zbench: "+format+"\n", args...) }
			return coded(cluster.Agent(cmd.Context(), cfg))
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&cfg.Coordinator, "join", "", fmt.Sprintf("endpoint of the coordinator: tcp://HOST:%d", cluster.DefaultPort))
	f.StringVar(&cfg.Name, "name", "", "of this agent in messages and results (default agent-1, agent-2 and so on, in the order of joining)")
	f.StringVar(&cfg.Advertise, "advertise", "", "address under which other agents reach this host (default the one that leads to the coordinator)")
	f.StringVar(&cfg.Bind, "bind", "", "address to bind, where it is not the advertised one: * is all")
	f.DurationVar(&cfg.Join, "join-timeout", cluster.DefaultJoin, "for how long to look for the coordinator")
	plan.Gather(f)
	return cmd
}

// coded gives an error of coordinator or agent its exit code.
func coded(err error) error {
	var refused *cluster.RefusedError
	var unreachable *cluster.UnreachableError
	switch {
	case errors.As(err, &refused), errors.As(err, &unreachable):
		return usageError{err}
	case errors.Is(err, cluster.ErrJoin):
		return codeError{exitUnfit, err}
	}
	return err
}

// checkAgent takes flags from the environment, too, and reports all that is wrong.
func checkAgent(cmd *cobra.Command, cfg *cluster.AgentConfig) error {
	var problems plan.Problems
	if err := (&plan.Plan{}).Read(cmd.Flags(), os.LookupEnv); err != nil {
		problems = append(problems, err)
	}
	if cfg.Coordinator == "" {
		problems = append(problems, fmt.Errorf("whom to join is missing: --join tcp://HOST:%d", cluster.DefaultPort))
	} else if err := cluster.CheckEndpoint("join", cfg.Coordinator, true); err != nil {
		problems = append(problems, err)
	}
	if cfg.Advertise != "" {
		if err := cluster.CheckAddress(cfg.Advertise); err != nil {
			problems = append(problems, fmt.Errorf("--advertise: %w", err))
		}
	}
	if err := cluster.CheckBind(cfg.Bind, cfg.Advertise); err != nil {
		problems = append(problems, err)
	}
	if cfg.Join < time.Second {
		problems = append(problems, fmt.Errorf("--join-timeout %v: use a second or more", cfg.Join))
	}
	if len(problems) > 0 {
		return problems
	}
	return nil
}
