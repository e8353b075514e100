package report

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

// ErrStale is what Check fails with.
var ErrStale = errors.New("the tables and plots are not those of the data; make them with --update")

// A Document is a Markdown file in which tables and plots stand between two
// comments, each on a line of its own. The first may name the results, as seen from
// the file's directory, separated by commas.
type Document struct {
	Path  string
	Data  *series.Set // for blocks that name no results; nil: there are none
	Plots string      // where the plots are, as seen from the file's directory

	// Note, if there is one, is told by Check why readers cannot rely on results: what is
	// in the document stays, though new results of that kind are refused.
	Note func(why string)
}

var marker = regexp.MustCompile(`(?m)^<!-- zbench:(BEGIN|END) ([a-z0-9-]+)(?: ([^ \n]+))? -->\n`)

// Update replaces the tables and plots. The text between them stays as it is.
// Results that readers cannot rely on are refused with a RefusedError, unless they
// are allowed.
func (doc Document) Update(allowed Allowed) error {
	files, used, err := doc.files()
	if err != nil {
		return err
	}
	for _, data := range used {
		if err := allowed.refuse(data); err != nil {
			return err
		}
	}
	for _, f := range files {
		old, err := os.ReadFile(f.path)
		if err == nil && bytes.Equal(old, f.text) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(f.path, f.text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Check fails with ErrStale when Update would change a file.
func (doc Document) Check() error {
	files, used, err := doc.files()
	if err != nil {
		return err
	}
	for _, data := range used {
		for _, why := range data.Unfit {
			if doc.Note != nil {
				doc.Note(why)
			}
		}
	}
	var stale []string
	for _, f := range files {
		old, err := os.ReadFile(f.path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if err != nil || !bytes.Equal(old, f.text) {
			stale = append(stale, f.path)
		}
	}
	if len(stale) > 0 {
		return fmt.Errorf("%s: %w", strings.Join(stale, ", "), ErrStale)
	}
	return nil
}

type file struct {
	path string
	text []byte
}

// files returns the plots and the document itself as they should be, and the results
// that they are made of.
func (doc Document) files() ([]file, []*series.Set, error) {
	old, err := os.ReadFile(doc.Path)
	if err != nil {
		return nil, nil, err
	}
	m := maker{doc: doc, loaded: map[string]*series.Set{}}
	text, err := Blocks(old, m.block)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", doc.Path, err)
	}
	return append(m.plots, file{doc.Path, text}), m.used, nil
}

// maker makes the blocks of a document.
type maker struct {
	doc    Document
	loaded map[string]*series.Set // by what the markers name
	plots  []file
	used   []*series.Set // each once
}

// Blocks replaces what stands between the comments of a Markdown file by what block
// makes of a name and of the results that the comment names, "" if it names none.
func Blocks(old []byte, block func(name, results string) (string, error)) ([]byte, error) {
	var out bytes.Buffer
	kept := 0    // old has been copied up to here
	within := "" // the block whose BEGIN was seen
	for _, found := range marker.FindAllSubmatchIndex(old, -1) {
		kind, name, results := string(old[found[2]:found[3]]), string(old[found[4]:found[5]]), ""
		if found[6] >= 0 {
			results = string(old[found[6]:found[7]])
		}
		switch {
		case kind == "BEGIN" && within != "":
			return nil, fmt.Errorf("table %q begins inside table %q", name, within)
		case kind == "BEGIN":
			text, err := block(name, results)
			if err != nil {
				return nil, err
			}
			out.Write(old[kept:found[1]])
			out.WriteString(text)
			within = name
		case within != name:
			return nil, fmt.Errorf("table %q ends but did not begin", name)
		default:
			kept, within = found[0], ""
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

func (m *maker) block(name, results string) (string, error) {
	switch name {
	case "instructions":
		return m.instructions(results)
	case "tested":
		return m.tested(results)
	}
	data, err := m.data(name, results)
	if err != nil {
		return "", err
	}
	if plot, ok := strings.CutPrefix(name, "plot-"); ok {
		return m.plot(data, plot)
	}
	t, err := one(data, name)
	if err != nil {
		return "", err
	}
	return t.Markdown(), nil
}

// data loads what a marker names.
func (m *maker) data(name, results string) (*series.Set, error) {
	if results == "" {
		if m.doc.Data == nil {
			return nil, fmt.Errorf("no results for table %q: name them in its BEGIN line, or as an argument", name)
		}
		if !slices.Contains(m.used, m.doc.Data) {
			m.used = append(m.used, m.doc.Data)
		}
		return m.doc.Data, nil
	}
	if have := m.loaded[results]; have != nil {
		return have, nil
	}
	names := strings.Split(results, ",")
	paths := slices.Clone(names)
	for i, p := range paths {
		paths[i] = filepath.Join(filepath.Dir(m.doc.Path), filepath.FromSlash(p))
	}
	data, err := series.Load(paths, noStdin{})
	if err != nil {
		return nil, err
	}
	// The text is to be the same wherever the command runs.
	data.From = strings.Join(names, ", ")
	m.loaded[results] = data
	m.used = append(m.used, data)
	return data, nil
}

// plot makes the file, and returns the line that shows it.
func (m *maker) plot(data *series.Set, name string) (string, error) {
	f, err := figure(data, name)
	if err != nil {
		return "", err
	}
	svg, err := f.SVG()
	if err != nil {
		return "", err
	}
	where := path.Join(m.doc.Plots, name+".svg")
	m.plots = append(m.plots, file{filepath.Join(filepath.Dir(m.doc.Path), filepath.FromSlash(where)), svg})
	return fmt.Sprintf("![%s](%s)\n", f.Title, where), nil
}

// noStdin is for documents: what they show has to be there the next time, too.
type noStdin struct{}

func (noStdin) Read([]byte) (int, error) {
	return 0, errors.New("standard input is no result for a document: name a file")
}
