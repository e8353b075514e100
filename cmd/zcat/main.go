// Zcat sends and prints ZeroMQ messages by hand, as netcat does for TCP. `zcat --help` shows
// what it can do.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-zmq/go-zmq/zmq"
)

func main() { os.Exit(run(os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})) }

// run runs a command line and returns the exit code: 1 after a failure, 2 for a wrong command
// line, 130 after Ctrl-C.
func run(args []string, std streams) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process
	root := rootCommand(std)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		return 130
	}
	fmt.Fprintln(std.faults, "zcat:", err)
	if errors.As(err, new(usageError)) {
		return 2
	}
	return 1
}

// A usageError says what is wrong with the command line.
type usageError struct{ error }

func usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

const long = `Zcat sends what it reads and prints what it receives, over
any ZeroMQ socket.

  zcat sub tcp://host:5556 -t prices
  echo hello | zcat req tcp://host:5555
  zcat push tcp://host:5557 < lines
  zcat rep @tcp://*:5555 --echo
  zcat record FILE sub tcp://host:5556
  zcat replay FILE pub @tcp://*:5556 --speed 2x
  zcat tap tcp://*:5555 tcp://host:5555

An endpoint with @ before it, or with a * in it, is bound;
others are connected to, and > before one says so.

Types: sub pub req rep push pull dealer router pair xpub
xsub stream, and of libzmq's draft API server client radio
dish scatter gather dgram peer channel.
"zcat TYPE --help" lists the flags of a type.`

// helpText is cobra's without the list of all types.
const helpText = "{{.Long}}{{if .Runnable}}{{with .LocalFlags.FlagUsagesWrapped 60}}\n\n{{if not $.HasSubCommands}}{{$.UseLine}}\n\n{{end}}Flags:\n{{.}}{{end}}{{end}}"

func rootCommand(std streams) *cobra.Command {
	root := &cobra.Command{
		Use:           "zcat TYPE ENDPOINT...",
		Short:         "send and print ZeroMQ messages",
		Long:          long,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("there is no socket type or command %q; the types are %s, the commands record, replay and tap", args[0], strings.Join(typeNames(), ", "))
			}
			return nil
		},
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		Version:           libraryVersion(),
	}
	root.SetOut(std.out)
	root.SetHelpTemplate(helpText)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%v; %s --help lists the flags", err, cmd.CommandPath())
	})
	for _, k := range kinds {
		root.AddCommand(typeCommand(k, std))
	}
	root.AddCommand(recordCommand(std), replayCommand(std), tapCommand(std))
	return root
}

func libraryVersion() string {
	major, minor, patch := zmq.Version() // zeros if there is none
	return fmt.Sprintf("on libzmq %d.%d.%d", major, minor, patch)
}

// streams are the standard streams of a command.
type streams struct {
	in          io.Reader
	out, faults io.Writer
}

// typeCommand returns the command of a socket type.
func typeCommand(k kind, std streams) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   k.name() + " ENDPOINT...",
		Short: k.does,
		Long:  k.typ.String() + ": " + k.does + ".",
		Args:  endpointsFrom(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withSocket(cmd.Context(), k, args, &o, std, func(p *port) error { return p.talk(cmd.Context()) })
		},
	}
	o.define(cmd.Flags(), k)
	return cmd
}

// endpointsFrom returns a check that a command line has endpoints from a position on.
func endpointsFrom(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) <= n {
			return usage("an endpoint is missing: %s", cmd.UseLine())
		}
		return nil
	}
}
