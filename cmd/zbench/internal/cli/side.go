package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/role"
)

// did is what a side does to messages.
var did = map[string]string{plan.Send: "handed to libzmq", plan.Recv: "received", plan.Echo: "sent back"}

// side runs one side and says how it went.
func (s *session) side() error {
	ctx := s.cmd.Context()
	tally := s.tally(s.plan.Cell())
	total := time.Duration(0)
	if s.plan.Verb == plan.Send {
		total = s.plan.Duration
	}
	fmt.Fprintln(s.out, wrap(s.announceSide(), "  "))
	stop := s.bar.start(total, func() string {
		text := fmt.Sprintf("%s %s", did[s.plan.Verb], record.Count(tally.Count(), "message"))
		if now := s.live.show(); now != "" {
			text += ", " + now
		}
		return text
	})
	res, err := role.Run(ctx, s.plan, tally, s.bar.say)
	stop()
	switch {
	case record.ExitCode(err) == record.Unfit:
	case res.Gone != "" && res.Messages > 0:
	case ctx.Err() != nil && res.Messages > 0 && !role.Harmed(err):
		res.Warnings = append(res.Warnings, "interrupted: what was measured until then")
	case err != nil:
		res.Invalid = strings.ReplaceAll(err.Error(), "\n", ", ")
	}
	if e := s.keep(res.Run); e != nil {
		return errors.Join(err, e)
	}
	if res.Messages > 0 || err == nil {
		s.showSide(res)
	}
	judged := s.judgeSide(res)
	if err == nil {
		err = judged
	}
	return err
}

// announceSide says what one side does, and what ends it.
func (s *session) announceSide() string {
	p := s.plan
	what := fmt.Sprintf("%s %s at %s", p.Verb, p.Ends().Name, p.Endpoint)
	if p.Verb == plan.Send {
		what = fmt.Sprintf("%s to %s, waits for %s", p.Cell(), p.Endpoint, record.Count(p.Waiting, "peer"))
	}
	var ends []string
	if p.Count > 0 {
		ends = append(ends, record.Count(p.Count, "message"))
	}
	if p.Duration > 0 {
		ends = append(ends, p.Duration.String())
	}
	if p.Verb == plan.Recv {
		ends = append(ends, "the end of "+record.Count(max(p.Waiting, 1), "zbench sender"))
	}
	if p.Verb != plan.Send && p.Idle > 0 {
		ends = append(ends, fmt.Sprintf("%v without a message", p.Idle))
	}
	if len(ends) == 0 {
		return what + " until Ctrl-C"
	}
	return fmt.Sprintf("%s; ends after %s", what, strings.Join(ends, ", or "))
}

// showSide writes what one side did.
func (s *session) showSide(res *role.Result) {
	r, w := &res.Run, s.out
	size := fmt.Sprintf("%d B", r.Cell.Size)
	if r.Largest > 0 {
		size = fmt.Sprintf("%d to %d B (%d on average)", r.Smallest, r.Largest, r.Cell.Size)
	}
	fmt.Fprintf(w, "%s %s of %s over %s (%s) in %s", did[r.Cell.Verb], record.Count(r.Messages, "message"), size, r.Cell.Transport, r.Cell.Pattern, record.Duration(float64(r.Elapsed)))
	if r.Rate() > 0 {
		fmt.Fprintf(w, ", %s msg/s", record.Number(r.Rate()))
	}
	fmt.Fprintln(w)
	if r.Cell.Open() {
		fmt.Fprintf(w, "offered %s msg/s (%s), sent %s, %.1f %% in time\n", record.Number(r.Cell.Rate), r.Cell.Arrivals, record.Number(r.SentRate()), 100*r.Achieved())
	}
	switch {
	case r.Cell.Verb != plan.Recv || r.Messages == 0:
	case res.Foreign:
		fmt.Fprintln(w, "lost, duplicated and reordered messages are unknown: the sender is not zbench, or uses --raw")
	case res.Shared:
		fmt.Fprintf(w, "%d duplicated, %d reordered, from %s; losses are unknown, because other receivers share them\n", r.Duplicated, r.Reordered, record.Count(res.Senders, "sender"))
	default:
		from := "sender"
		if s.plan.Topics > 0 {
			from = "topic"
		}
		fmt.Fprintf(w, "%d lost, %d duplicated, %d reordered, from %s\n", r.Lost, r.Duplicated, r.Reordered, record.Count(res.Senders, from))
	}
	if res.Dropped > 0 {
		fmt.Fprintf(w, "dropped %s whose sender had left\n", record.Count(res.Dropped, "message"))
	}
	if r.Messages > 0 && r.Cell.Has("cpu-ns/msg", r.Method.Pace) {
		n := float64(r.Messages)
		fmt.Fprintf(w, "per message %s of processor time, %.2f allocations\n", record.Duration(float64(r.CPU)/n), float64(r.Allocs)/n)
	}
	for _, warning := range r.Warnings {
		fmt.Fprintln(w, "!", warning)
	}
}

// judgeSide compares the result with the load and the objectives.
func (s *session) judgeSide(res *role.Result) error {
	if res.Saturated {
		return record.Exitf(record.Unfit, "saturated: %.1f %% of the offered load went through; offer less", 100*res.Achieved())
	}
	if !res.Valid() || len(s.plan.SLO) == 0 {
		return nil
	}
	sum, err := record.Summarize(res.Cell, []record.Run{res.Run})
	if err != nil {
		return err
	}
	missed, _, err := s.missed(&sum) // of one side, no objective is about a percentile
	for _, v := range s.data.Verdicts {
		fmt.Fprintln(s.out, v)
	}
	if err == nil && len(missed) > 0 {
		err = record.Exitf(record.Missed, "%s", strings.Join(missed, "\n"))
	}
	return err
}
