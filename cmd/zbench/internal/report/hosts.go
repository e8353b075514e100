package report

import (
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plot"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

// hosts has what each agent of runs on many hosts measured with and on.
func hosts(d *series.Set) *Table {
	if d.Records == nil {
		return nil
	}
	var rows []table.Row
	var doubts [][2]string
	for _, h := range d.Records.Hosts {
		e, _ := d.Records.Env(h.Env)
		rows = append(rows, table.Row{
			h.Agent, e.CPU, e.System, e.Zbench, e.Go, e.Libzmq, e.Cores, e.GOMAXPROCS,
			microseconds(h.Clock.Offset), microseconds(h.Clock.Error),
		})
		for _, doubt := range e.Doubts {
			doubts = append(doubts, [2]string{h.Agent, doubt})
		}
	}
	t := newTable(6, table.Row{"agent", "cpu", "kernel", "zbench", "go", "libzmq", "cores", "GOMAXPROCS", "clock ahead", "known to"}, rows)
	if t == nil {
		return nil
	}
	t.say("Clocks against the coordinator's, when the agents joined: latencies do not depend on them.")
	for _, of := range doubts {
		t.say("%s: %s.", of[0], of[1])
	}
	return t
}

// agents has what each agent that sends had of what was measured, the slowest first.
func agents(d *series.Set) *Table {
	if d.Records == nil {
		return nil
	}
	var rows []table.Row
	for _, cell := range d.Records.Cells() {
		workload := cell.String()
		for _, s := range d.Records.Shares(cell) {
			p99 := ""
			if s.P99 > 0 {
				p99 = plot.Nanoseconds(s.P99)
			}
			rows = append(rows, table.Row{workload, s.Agent, si(s.Rate), p99, microseconds(s.Clock), microseconds(s.Drift)})
			workload = ""
		}
	}
	t := newTable(2, table.Row{"workload", "agent", "msg/s", "p99", "clock known to", "moved by"}, rows)
	if t == nil {
		return nil
	}
	return t.say("Medians of all valid runs, the slowest agent first; of clocks the worst.")
}

func microseconds(d time.Duration) string { return d.Round(time.Microsecond).String() }
