package report

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
)

// ErrStale is what Check fails with.
var ErrStale = errors.New("the tables are not those of the data; make them with --update")

// A table stands between two comments, each on a line of its own.
var marker = regexp.MustCompile(`(?m)^<!-- zbench:(BEGIN|END) ([a-z-]+) -->\n`)

// Update replaces the tables of a Markdown file. The text between them stays as it
// is.
func (t *Tables) Update(path string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text, err := t.replace(old)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if bytes.Equal(old, text) {
		return nil
	}
	return os.WriteFile(path, text, 0o644)
}

// Check fails with ErrStale when Update would change the file.
func (t *Tables) Check(path string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text, err := t.replace(old)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if !bytes.Equal(old, text) {
		return fmt.Errorf("%s: %w", path, ErrStale)
	}
	return nil
}

func (t *Tables) replace(old []byte) ([]byte, error) {
	var out bytes.Buffer
	kept := 0    // old has been copied up to here
	within := "" // the table whose BEGIN was seen
	for _, m := range marker.FindAllSubmatchIndex(old, -1) {
		kind, name := string(old[m[2]:m[3]]), string(old[m[4]:m[5]])
		switch {
		case kind == "BEGIN" && within != "":
			return nil, fmt.Errorf("table %q begins inside table %q", name, within)
		case kind == "BEGIN":
			table, err := t.table(name)
			if err != nil {
				return nil, err
			}
			out.Write(old[kept:m[1]])
			out.WriteString(table)
			within = name
		case within != name:
			return nil, fmt.Errorf("table %q ends but did not begin", name)
		default:
			kept, within = m[0], ""
		}
	}
	if within != "" {
		return nil, fmt.Errorf("table %q has no end", within)
	}
	if kept == 0 {
		return nil, errors.New("no table: there is no <!-- zbench:BEGIN name --> line")
	}
	out.Write(old[kept:])
	return out.Bytes(), nil
}
