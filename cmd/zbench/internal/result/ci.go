package result

import (
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// A Check is a test for a CI: an objective, or a figure that a gate is about.
type Check struct {
	XMLName xml.Name `xml:"testcase"`
	Group   string   `xml:"classname,attr"` // the cell
	Name    string   `xml:"name,attr"`
	Failure *Problem `xml:"failure"`
	Skipped *Problem `xml:"skipped"` // it could not be judged
}

// A Problem is why a Check failed.
type Problem struct {
	Message string `xml:"message,attr"`
}

// Checks returns the objectives of a result, and the runs that failed.
func Checks(d *record.Data) (all []Check) {
	for _, v := range d.Verdicts {
		c := Check{Group: v.Cell, Name: v.Objective}
		switch {
		case v.Unsure:
			c.Skipped = &Problem{v.Result}
		case !v.Met:
			c.Failure = &Problem{v.Result}
		}
		all = append(all, c)
	}
	for _, r := range d.Runs {
		if !r.Valid() {
			all = append(all, Check{Group: r.Cell.String(), Name: fmt.Sprintf("run %d", r.Repeat), Failure: &Problem{r.Invalid}})
		}
	}
	return all
}

// Checks returns the figures that gates are about or, without gates, all of them.
func (c *Comparison) Checks(gates []Gate) (all []Check) {
	for _, ch := range c.Changes {
		row := ch.row(nil)
		text := fmt.Sprintf("%s, now %s, %s; the smallest change that could have been seen is %s", row[2], row[3], row[4], row[5])
		check := Check{Group: ch.Cell.String(), Name: ch.Unit}
		switch {
		case !ch.judged:
			continue
		case len(ch.Failed) > 0, len(gates) == 0 && ch.Better < 0:
			check.Failure = &Problem{text}
		case len(c.blind(&ch, gates)) > 0:
			check.Skipped = &Problem{text}
		}
		all = append(all, check)
	}
	return all
}

// JUnit writes checks as most CI systems read them.
func JUnit(w io.Writer, name string, checks []Check) error {
	suite := struct {
		XMLName  xml.Name `xml:"testsuite"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Skipped  int      `xml:"skipped,attr"`
		Checks   []Check
	}{Name: name, Tests: len(checks), Checks: checks}
	for _, c := range checks {
		if c.Failure != nil {
			suite.Failures++
		} else if c.Skipped != nil {
			suite.Skipped++
		}
	}
	data, err := xml.MarshalIndent(suite, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, data)
	}
	return err
}

// GitHub writes checks that did not pass as annotations, and adds a summary in Markdown to the
// file that GitHub Actions names or, without one, to w.
func GitHub(w io.Writer, summary string, checks []Check) error {
	escape := strings.NewReplacer("%", "%25", "\n", "%0A", "\r", "%0D", ":", "%3A", ",", "%2C")
	for _, c := range checks {
		level, problem := "error", c.Failure
		if problem == nil {
			level, problem = "warning", c.Skipped
		}
		if problem != nil {
			fmt.Fprintf(w, "::%s title=%s::%s\n", level, escape.Replace(c.Group+" "+c.Name), escape.Replace(problem.Message))
		}
	}
	name := os.Getenv("GITHUB_STEP_SUMMARY")
	if name == "" {
		_, err := io.WriteString(w, summary)
		return err
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(f, summary); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}
