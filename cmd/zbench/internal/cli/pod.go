package cli

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/cluster"
)

// podJoin is how long pods wait for each other: images may have to be fetched.
const podJoin = 10 * time.Minute

// newPod returns the verb of the pods that zbench k8s prints. Kubernetes tells each
// its index, and that says whether it is the coordinator or an agent.
func newPod() *cobra.Command {
	var file, join string
	peers, tcpOnly := 0, false
	cmd := &cobra.Command{
		Use:    "pod",
		Hidden: true,
		Short:  "what each pod of zbench k8s runs",
		Args:   noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			text := os.Getenv("JOB_COMPLETION_INDEX")
			index, err := strconv.Atoi(text)
			if err != nil || index < 0 || index >= peers {
				return usagef("JOB_COMPLETION_INDEX=%s: it is to be a number below --peers %d, as the Job of zbench k8s has it", text, peers)
			}
			if err := cluster.CheckEndpoint("join", join, true); err != nil {
				return usageError{err}
			}
			args := []string{"agent", "--join", join, "--name", fmt.Sprintf("agent-%d", index), "--join-timeout", podJoin.String()}
			if ip := os.Getenv("POD_IP"); ip != "" {
				args = append(args, "--advertise", ip)
			}
			if index == 0 {
				_, port, err := net.SplitHostPort(strings.TrimPrefix(join, "tcp://"))
				if err != nil {
					return usageError{err}
				}
				args = []string{
					"coordinator", "--file", file, "--expect", strconv.Itoa(peers - 1), "--listen", "tcp://*:" + port,
					"--join-timeout", podJoin.String(), "--json", "--table", "--no-progress",
				}
				if tcpOnly {
					args = append(args, "--tcp-only")
				}
			}
			root := newRoot()
			root.SetArgs(args)
			root.SetOut(cmd.OutOrStdout())
			root.SetErr(cmd.ErrOrStderr())
			return root.ExecuteContext(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.StringVar(&file, "plan", "", "plan file")
	f.StringVar(&join, "join", "", "endpoint of the coordinator, the pod with index 0")
	f.IntVar(&peers, "peers", 0, "pods, the coordinator's too")
	f.BoolVar(&tcpOnly, "tcp-only", false, "leave out transports that do not cross hosts")
	return cmd
}
