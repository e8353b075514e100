package result

import (
	"fmt"
	"io"
	"strings"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// Detail says how much Text writes.
type Detail struct {
	Format  string // "md", or for a terminal
	Wide    bool   // all columns
	Verbose bool   // what disturbed the runs
	Source  bool   // the verdict, the machine and the commands, where they are not known
}

// Text writes tables, the results of objectives and the noise.
func Text(w io.Writer, d *record.Data, how Detail) error {
	if len(d.Runs) == 0 {
		return nil // the first run was not finished
	}
	all, err := d.Summaries()
	if err != nil {
		return err
	}
	line := func(text string) {
		if how.Format == "md" {
			fmt.Fprintf(w, "%s  \n", text) // a line of its own
			return
		}
		fmt.Fprintln(w, Wrap(text, "  "))
	}
	if how.Source {
		line(Heading(d))
		fmt.Fprintln(w)
	}
	for _, t := range Tables(d, all, how.Wide) {
		fmt.Fprintf(w, "%s\n", t.In(how.Format))
	}
	for _, s := range all {
		for _, r := range s.Runs {
			if r.Gone != "" && r.Cell.Verb == record.Lat {
				line(fmt.Sprintf("! %s, run %d: %s; %.2g %% of %s not answered", s.Cell, r.Repeat, r.Gone, 100*float64(r.Lost)/float64(r.Messages+r.Lost), record.Count(r.Messages+r.Lost, "message")))
			}
		}
	}
	for _, v := range d.Verdicts {
		line(v.String())
	}
	line(Noise(all))
	if how.Verbose {
		for _, l := range Disturbances(all) {
			line("! " + l)
		}
	}
	if how.Source {
		sources(d, line)
	}
	return nil
}

// sources writes the machines and the commands.
func sources(d *record.Data, line func(string)) {
	for _, e := range d.Envs {
		line("machine: " + machineName(e))
		for _, doubt := range e.Doubts {
			line("doubt: " + doubt)
		}
	}
	for _, p := range d.Plans {
		line("command: " + p.Line())
	}
}

// machineName is what a result was measured with and on.
func machineName(e record.Env) string {
	words := []string{"zbench " + e.Zbench, e.Go, "libzmq " + e.Libzmq, e.System, e.CPU, record.Count(e.Cores, "core")}
	if e.GOMAXPROCS != e.Cores {
		words = append(words, fmt.Sprintf("GOMAXPROCS %d", e.GOMAXPROCS))
	}
	if e.Virtual {
		words = append(words, "virtual")
	}
	return strings.Join(words, ", ")
}
