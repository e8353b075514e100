package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/cluster"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/table"
)

// coordination is a plan for many hosts.
type coordination struct {
	cluster.Config
	plan    *plan.Plan
	tcpOnly bool
	table   bool
}

// newCoordination returns one without any flags given.
func newCoordination() *coordination {
	c := &coordination{plan: plan.New(plan.Matrix), Config: cluster.Config{Versions: cluster.OwnVersions()}}
	c.plan.Transports, c.plan.Baseline = []string{"tcp"}, "none"
	return c
}

func newCoordinator() *cobra.Command {
	c := newCoordination()
	cmd := &cobra.Command{
		Use:   "coordinator",
		Short: "one measurement over many hosts: waits for agents and leads them",
		Long: `Waits for the agents that --expect says, and measures a plan with them: the first
to join receive or answer, the others send. Agents dial the coordinator, so that
they need no list of hosts. Without --peers there is a sender for each agent.

In each run receivers bind, senders connect to the addresses that those have, all
wait for each other, and start at the same time. Histograms are merged here. A
latency is a round trip on the clock of the agent that sends; how much the clocks
of hosts differ is noted beside it, and no result depends on it.

The plan is that of zbench matrix, as flags or a file. --procs, --engine, --pin,
--payload, --baseline c, --publish and the profiles are of one machine, and not for
agents. --strict goes by the agents' machines.

With the same ZBENCH_KEY in the environment of the coordinator and its agents what
they say to each other is encrypted, and nobody else is let in. --security curve
encrypts what is measured.
` + environment + `
  host-0$ zbench coordinator --expect 3 -f plan.yaml -o results/
  host-n$ zbench agent --join tcp://host-0:5600`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd) },
	}
	cmd.Flags().SortFlags = false
	c.flags(cmd.Flags())
	plan.Gather(cmd.Flags())
	completeWords(cmd, c.plan.Choices())
	completeWords(cmd, map[string][]string{"on-lost": {cluster.Stop, cluster.GoOn}})
	return cmd
}

func (c *coordination) flags(f *pflag.FlagSet) {
	f.StringVar(&c.Listen, "listen", fmt.Sprintf("tcp://*:%d", cluster.DefaultPort), "endpoint for the agents to dial; port * is any, and printed")
	f.IntVar(&c.Expect, "expect", 2, "agents, without which nothing begins")
	f.DurationVar(&c.Join, "join-timeout", cluster.DefaultJoin, "for how long to wait for them")
	f.DurationVar(&c.LostAfter, "lost-after", cluster.DefaultLostAfter, "of silence an agent is lost; one whose connection ends is lost at once")
	f.StringVar(&c.OnLost, "on-lost", cluster.Stop, "when an agent is lost: stop, or go-on with those that are left; the exit code is 1 either way")
	f.BoolVar(&c.AllowMixed, "allow-mixed", false, "take agents of other versions; each run says so")
	f.BoolVar(&c.tcpOnly, "tcp-only", false, "leave out transports of the plan that do not cross hosts")
	f.BoolVar(&c.table, "table", false, "with --json: the tables on standard error")
	c.plan.Flags(f)
}

// read takes flags from the environment and the plan file, and completes the plan.
func (c *coordination) read(flags *pflag.FlagSet, getenv func(string) (string, bool)) error {
	p := c.plan
	err := p.Read(flags, getenv)
	if c.tcpOnly {
		p.Transports = slices.DeleteFunc(slices.Clone(p.Transports), func(t string) bool { return t != "tcp" })
	}
	if !flags.Changed("peers") && c.Expect > 2 {
		p.Peers = []plan.Peers{{Senders: c.Expect - 1, Receivers: 1}}
	}
	return err
}

// run checks everything, waits for the agents and measures.
func (c *coordination) run(cmd *cobra.Command) error {
	unread := c.read(cmd.Flags(), os.LookupEnv)
	info, facts, err := thisHost.survey(cmd.Context(), unread)
	if err != nil {
		return err
	}
	// Nothing is measured here: the agents' machines have to be good enough.
	facts.Machine, facts.Urgent = nil, nil
	cells, err := c.check(facts)
	if err := errors.Join(unread, err); err != nil {
		return usageError{err}
	}
	c.Key = os.Getenv(cluster.KeyVariable)
	c.Say = func(format string, args ...any) { fmt.Fprintf(cmd.ErrOrStderr(), "zbench: "+format+"\n", args...) }
	leader, err := cluster.Open(c.Config)
	if err != nil {
		return err
	}
	err = c.lead(cmd, leader, cells, info)
	// The agents hear of it; what they are told is one line.
	return errors.Join(err, leader.Close(err))
}

// check reports all that is wrong: with the plan, and with measuring it on agents.
func (c *coordination) check(facts plan.Facts) ([]record.Cell, error) {
	var problems plan.Problems
	if err := cluster.CheckEndpoint("listen", c.Listen, false); err != nil {
		problems = append(problems, err)
	}
	if c.OnLost != cluster.Stop && c.OnLost != cluster.GoOn {
		problems = append(problems, fmt.Errorf("--on-lost %s: use one of %s %s", c.OnLost, cluster.Stop, cluster.GoOn))
	}
	if c.Join <= 0 || c.LostAfter < time.Second {
		problems = append(problems, fmt.Errorf("--join-timeout %v with --lost-after %v: use a second or more for both", c.Join, c.LostAfter))
	}
	for _, name := range plan.ProfileFlags() {
		if c.plan.Profile[name] != "" {
			problems = append(problems, fmt.Errorf("--%s with agents: it would be the coordinator's, which measures nothing; leave it out", name))
		}
	}
	if c.plan.Baseline != "none" {
		problems = append(problems, fmt.Errorf("--baseline %s with agents: the loops in C have both ends in one process; leave it out", c.plan.Baseline))
	}
	// The rest of the rules that these three have is of no interest.
	for _, of := range []struct {
		flag  string
		value *string
	}{{"payload", &c.plan.Payload}, {"pin", &c.plan.Pin}} {
		if *of.value != "" {
			problems = append(problems, fmt.Errorf("--%s with agents: the file, or the processors, would be those of each agent's machine; leave it out", of.flag))
			*of.value = ""
		}
	}
	if c.plan.Publish {
		problems = append(problems, errors.New("--publish with agents: it keeps results by the machine that they are of, and these are of several; keep them with --out"))
		c.plan.Publish = false
	}
	cells, err := c.plan.Check(facts)
	var wrong plan.Problems
	if errors.As(err, &wrong) {
		problems = append(problems, wrong...)
		cells, _ = c.plan.Cells() // what is wrong with them is in the list
	} else if err != nil {
		return nil, err
	}
	for i := range cells {
		cells[i].Hosts = c.Expect
	}
	problems = append(problems, cluster.Check(cells, c.Expect)...)
	if len(problems) > 0 {
		return nil, problems
	}
	return cells, nil
}

func (c *coordination) lead(cmd *cobra.Command, leader *cluster.Coordinator, cells []record.Cell, info machine.Info) error {
	ctx, began := cmd.Context(), time.Now()
	endpoint, err := leader.Endpoint()
	if err != nil {
		return err
	}
	c.Say("waiting for %d agents at %s", c.Expect, endpoint)
	if err := leader.Join(ctx); err != nil {
		return coded(err)
	}
	if err := c.strict(leader.Hosts("")); err != nil {
		return usageError{err}
	}
	m := &measurement{
		cmd: cmd, plan: c.plan, cells: cells, info: info, out: cmd.OutOrStdout(), began: began,
		measure: leader.Measure, measured: leader.Dismiss,
		after: func() error {
			if c.OnLost == cluster.GoOn {
				return nil
			}
			return leader.Lost()
		},
	}
	return m.run(func(m *measurement, ctx context.Context) error {
		hosts, envs := leader.Hosts(m.id)
		err := m.write(func(w *record.Writer) error {
			for i := range hosts {
				if err := errors.Join(w.Env(envs[i]), w.Host(hosts[i])); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if m.plan.Format == "text" && !m.plan.Quiet {
			printHosts(m.out, hosts, envs)
		}
		err = m.all(ctx)
		if lost := leader.Lost(); lost != nil && c.OnLost == cluster.GoOn && len(m.outcome.failed) == 0 {
			m.outcome.failed = []string{lost.Error()} // though it had no part in what was measured since
		}
		if m.plan.Format == "text" && !m.plan.Quiet {
			table.Agents(m.out, &m.data)
		}
		if m.plan.Format == "json" && c.table {
			err = errors.Join(err, printTables(cmd.ErrOrStderr(), m, hosts, envs))
		}
		return err
	})
}

// strict refuses, with --strict, agents whose machines make numbers doubtful.
func (c *coordination) strict(hosts []record.Host, envs []record.Env) error {
	var problems plan.Problems
	for i, h := range hosts {
		for _, doubt := range envs[i].Doubts {
			problems = append(problems, fmt.Errorf("--strict: %s: %s", h.Agent, doubt))
		}
	}
	if !c.plan.Strict || len(problems) == 0 {
		return nil
	}
	return problems
}

// printTables writes what the format "text" has, beside the records.
func printTables(w io.Writer, m *measurement, hosts []record.Host, envs []record.Env) error {
	summaries, err := m.data.Summaries()
	if err != nil {
		return err
	}
	printHosts(w, hosts, envs)
	p := &table.Printer{W: w, Floor: m.plan.Floor}
	p.Results(m.inOrder(summaries))
	table.Agents(w, &m.data)
	return nil
}

func printHosts(w io.Writer, hosts []record.Host, envs []record.Env) {
	for i, h := range hosts {
		e, on := envs[i], ""
		if h.Node != "" {
			on = " on " + h.Node
		}
		fmt.Fprintf(w, "%s%s: %s, libzmq %s, %s, %d cores; clock ahead by %v, known to %v\n",
			h.Agent, on, e.Go, e.Libzmq, e.CPU, e.Cores, h.Clock.Offset.Round(time.Microsecond), h.Clock.Error.Round(time.Microsecond))
		for _, doubt := range e.Doubts {
			fmt.Fprintf(w, "! %s: %s\n", h.Agent, doubt)
		}
	}
	fmt.Fprintln(w)
}
