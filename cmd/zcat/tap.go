package main

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-zmq/go-zmq/zmq"
)

// tapCommand stands between two programs and prints what passes.
func tapCommand(std streams) *cobra.Command {
	var o options
	var types string
	cmd := &cobra.Command{
		Use:   "tap FRONT BACK",
		Short: "stand between two programs",
		Long: `Tap binds FRONT and connects to BACK (@ or > before an
endpoint chooses otherwise), passes every message on, and
prints it: > from the front to the back, < the other way.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage("tap needs two endpoints: %s", cmd.UseLine())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			front, back, _ := strings.Cut(types, ",")
			a, err := kindNamed(front)
			b, bad := kindNamed(back)
			if err = cmp.Or(err, bad); err != nil {
				return err
			}
			if !strings.HasPrefix(args[0], ">") {
				args[0] = "@" + strings.TrimPrefix(args[0], "@")
			}
			return withSocket(cmd.Context(), a, args[:1], &o, std, func(p *port) error {
				s, err := open(cmd.Context(), p.socket.Context(), b, args[1:], &o, std)
				if err != nil {
					return err
				}
				return p.tap(cmd.Context(), s)
			})
		},
	}
	cmd.Flags().StringVar(&types, "types", "router,dealer", "the socket types of FRONT and BACK: router,dealer for requests, xpub,xsub for publications, pull,push for pipelines")
	cmd.Flags().StringVarP(&o.format, "format", "f", "text", "how messages are printed: text, hex, json or raw")
	cmd.Flags().StringVar(&o.separator, "separator", "", "what separates the parts of a message in a line of text (\" | \" if it is not set)")
	cmd.Flags().BoolVar(&o.monitor, "monitor", false, "print what happens to the connections on the standard error")
	return cmd
}

// tap passes messages on in both directions until one of them fails or ctx is done.
func (p *port) tap(ctx context.Context, back *zmq.Socket) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 2)
	go func() { ended <- p.pass(ctx, "front", p.socket, back) }()
	go func() { ended <- p.pass(ctx, "back", back, p.socket) }()
	err := <-ended
	if err == nil { // one of them only sends
		return <-ended
	}
	cancel()
	<-ended
	return err
}

// pass moves messages from one socket to the other. It returns nil if their types do not allow it.
func (p *port) pass(ctx context.Context, name string, from, to *zmq.Socket) error {
	for {
		parts, err := from.RecvMultipart(ctx)
		switch {
		case errors.Is(err, zmq.ErrNotSupported):
			return nil
		case err != nil:
			return err
		}
		m := message{Time: time.Now(), From: name}
		for _, part := range parts {
			m.Parts = append(m.Parts, part)
		}
		if err := p.print.print(m, false); err != nil {
			return err
		}
		err = to.SendMultipart(ctx, parts)
		if ctx.Err() != nil { // what was printed is passed on if there is room
			return to.SendMultipart(context.WithoutCancel(ctx), parts, zmq.DontWait)
		}
		if err != nil && !errors.Is(err, zmq.ErrHostUnreachable) { // nobody waits for a reply any more
			return err
		}
	}
}
