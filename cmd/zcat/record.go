package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-zmq/go-zmq/zmq"
)

// recordCommand keeps what a socket receives in a file.
func recordCommand(std streams) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "record FILE TYPE ENDPOINT...",
		Short: "keep messages in a file",
		Long:  "Record writes what a socket receives to a new file: a line\nof JSON for each message, with its time and its parts.",
		Args:  endpointsFrom(2),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			k, err := kindFor("record", args[1], receives)
			if err != nil {
				return err
			}
			o.format = "json"
			f, err := os.OpenFile(args[0], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if err != nil {
				return fmt.Errorf("%w; move the file away, or name another one", err)
			}
			defer func() { err = errors.Join(err, f.Close()) }()
			return withSocket(cmd.Context(), k, args[2:], &o, streams{in: std.in, out: f, faults: std.faults}, func(p *port) error {
				return p.receiveAll(cmd.Context(), o.count)
			})
		},
	}
	o.define(cmd.Flags(), kind{typ: zmq.Sub, way: receives})
	cmd.Flags().Lookup("format").Hidden = true
	cmd.Flags().Lookup("separator").Hidden = true
	return cmd
}

// replayCommand sends what record has kept.
func replayCommand(std streams) *cobra.Command {
	var o options
	var speed string
	cmd := &cobra.Command{
		Use:   "replay FILE TYPE ENDPOINT...",
		Short: "send recorded messages",
		Long:  "Replay sends the messages of a recording at the intervals\nat which they came.",
		Args:  endpointsFrom(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			k, err := kindFor("replay", args[1], sends)
			if err != nil {
				return err
			}
			factor, err := parseSpeed(speed)
			if err != nil {
				return err
			}
			f, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer f.Close()
			o.format = "json"
			return withSocket(cmd.Context(), k, args[2:], &o, std, func(p *port) error {
				return p.replay(cmd.Context(), f, factor)
			})
		},
	}
	cmd.Flags().StringVar(&speed, "speed", "1x", "how fast: 2x is twice as fast, max without pauses")
	cmd.Flags().IntVarP(&o.count, "count", "c", 0, "end after this many messages (0: no limit)")
	cmd.Flags().DurationVar(&o.timeout, "timeout", 0, "give up when nothing could be sent for this long (0: never)")
	o.defineSecurity(cmd.Flags())
	return cmd
}

// parseSpeed returns a factor; 0 means without pauses.
func parseSpeed(s string) (float64, error) {
	if s == "max" {
		return 0, nil
	}
	f, err := strconv.ParseFloat(strings.TrimSuffix(s, "x"), 64)
	if err != nil || !(f > 0) || f > 1e9 {
		return 0, usage("--speed %q is not a speed; write 2x, 0.5x or max", s)
	}
	return f, nil
}

// replay sends the messages of a recording, each when it is due.
func (p *port) replay(ctx context.Context, recording io.Reader, speed float64) error {
	var first, start time.Time
	p.due = func(ctx context.Context, n int, m message) error {
		if n == 0 {
			first, start = m.Time, time.Now()
		}
		if speed == 0 || m.Time.IsZero() {
			return ctx.Err()
		}
		return sleep(ctx, time.Until(start.Add(time.Duration(float64(m.Time.Sub(first))/speed))))
	}
	p.std.in = recording
	return p.sendAll(ctx, p.input(ctx), p.o.count)
}
