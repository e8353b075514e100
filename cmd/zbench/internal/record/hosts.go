package record

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// MergeHosts replaces the runs that several hosts made together by their sums. Plans that
// share a --start-at belong together. Runs of the same cell and repeat are added up: rates,
// counts and histograms. It returns what is wrong with the hosts, a line each: those that
// started late or stopped early and, if expect is not 0, how many are missing.
func (d *Data) MergeHosts(expect int) (problems []string, err error) {
	if apart := d.apart(); apart != "" {
		return nil, Exitf(Unfit, "%s", apart)
	}
	merged := []Run{}
	done := map[string]bool{}
	most := 0
	for _, p := range d.Plans {
		if done[p.ID] {
			continue
		}
		group := d.together(p)
		most = max(most, len(group))
		for _, of := range group {
			done[of.ID] = true
			problems = append(problems, d.late(of)...)
		}
		runs, err := d.sum(group)
		if err != nil {
			return nil, err
		}
		merged = append(merged, runs...)
	}
	for _, r := range d.Runs {
		if !done[r.Plan] {
			merged = append(merged, r)
		}
	}
	d.Runs = merged
	if most < expect {
		problems = append(problems, fmt.Sprintf("missing: %d of %s", expect-most, Count(expect, "host")))
	}
	return problems, nil
}

// together returns the plans of the run that p is part of.
func (d *Data) together(p Plan) []Plan {
	if p.StartAt.IsZero() {
		return []Plan{p}
	}
	return slices.DeleteFunc(slices.Clone(d.Plans), func(o Plan) bool { return !o.StartAt.Equal(p.StartAt) || o.Command != p.Command })
}

// apart says which hosts measured the same plan at times that overlap, but not from the same
// --start-at on: their sum is no load that there was, and neither is their median.
func (d *Data) apart() string {
	for i, p := range d.Plans {
		for _, o := range d.Plans[i+1:] {
			if p.StartAt.IsZero() || o.StartAt.IsZero() || p.StartAt.Equal(o.StartAt) || p.Command != o.Command || !slices.Equal(p.Args, o.Args) {
				continue
			}
			if a, b := d.last(p), d.last(o); p.StartAt.Before(b) && o.StartAt.Before(a) {
				return fmt.Sprintf("%s measured from %s on, and %s the same from %s on: they cannot be added up; give all hosts the same --start-at", hostName(p), p.StartAt.Format(time.RFC3339), hostName(o), o.StartAt.Format(time.RFC3339))
			}
		}
	}
	return ""
}

func hostName(p Plan) string { return "host " + p.Host + " (" + p.ID + ")" }

// last returns when the last run of a plan ended.
func (d *Data) last(p Plan) (end time.Time) {
	for _, r := range d.Runs {
		if e := r.Start.Add(r.Elapsed); r.Plan == p.ID && e.After(end) {
			end = e
		}
	}
	return end
}

// tolerance is how much later than --start-at the first run of a host may start. Hosts
// whose clocks are set by NTP differ by milliseconds; opening sockets takes longer.
const tolerance = time.Second

// late says whether a host started late or stopped early.
func (d *Data) late(p Plan) (problems []string) {
	if p.StartAt.IsZero() {
		return nil
	}
	runs := slices.DeleteFunc(slices.Clone(d.Runs), func(r Run) bool { return r.Plan != p.ID || !r.Valid() })
	if len(runs) > 0 {
		first := slices.MinFunc(runs, func(a, b Run) int { return a.Start.Compare(b.Start) })
		if delay := first.Start.Sub(p.StartAt); delay > tolerance {
			problems = append(problems, fmt.Sprintf("host %s started %v late", p.Host, delay.Round(time.Second/10)))
		}
	}
	if e, ok := d.Ended(p.ID); !ok || !e.Complete {
		problems = append(problems, fmt.Sprintf("host %s stopped early, after %s", p.Host, Count(len(runs), "run")))
	}
	return problems
}

// sum returns the runs of plans, with those of the same cell and repeat added up.
func (d *Data) sum(group []Plan) (all []Run, err error) {
	type key struct {
		cell   Cell
		repeat int
	}
	parts := map[key][]Run{}
	var order []key
	for _, r := range d.Runs {
		if !slices.ContainsFunc(group, func(p Plan) bool { return p.ID == r.Plan }) {
			continue
		}
		if len(group) == 1 || !r.Valid() {
			all = append(all, r)
			continue
		}
		k := key{r.Cell, r.Repeat}
		if parts[k] == nil {
			order = append(order, k)
		}
		parts[k] = append(parts[k], r)
	}
	for _, k := range order {
		r, err := add(parts[k])
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// add returns the sum of runs that several hosts made at the same time.
func add(parts []Run) (sum Run, err error) {
	sum = parts[0]
	sum.Warnings = slices.Clone(sum.Warnings)
	sum.Cell.Senders = max(sum.Cell.Senders, 1)
	for _, r := range parts[1:] {
		sum.Cell.Rate += r.Cell.Rate
		sum.Cell.Senders += max(r.Cell.Senders, 1)
		sum.Messages += r.Messages
		sum.Bytes += r.Bytes
		sum.Due += r.Due
		sum.Unsent += r.Unsent
		sum.Lost += r.Lost
		sum.Duplicated += r.Duplicated
		sum.Reordered += r.Reordered
		sum.Gone = cmp.Or(sum.Gone, r.Gone)
		sum.Idle += r.Idle
		sum.CPU += r.CPU
		sum.Allocs += r.Allocs
		sum.AllocBytes += r.AllocBytes
		sum.Crossings += r.Crossings
		sum.Elapsed = max(sum.Elapsed, r.Elapsed)
		sum.SendTime = max(sum.SendTime, r.SendTime)
		sum.Planned = max(sum.Planned, r.Planned)
		sum.Saturated = sum.Saturated || r.Saturated // of one host: its part did not go through
		sum.Warnings = append(sum.Warnings, r.Warnings...)
	}
	sum.Timeline = nil // each host has its own
	sum.Latency, err = Merge(parts)
	return sum, err
}
