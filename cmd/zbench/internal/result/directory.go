package result

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// Store keeps a result while it grows. A directory has results.jsonl, with each run as soon
// as it is there, and at the end what is made from it. A name that ends in .jsonl is a file
// of records alone.
type Store struct {
	path string
	dir  bool
	file *os.File
	*record.Writer
}

// Open creates a store. Nothing is there yet.
func Open(path string) (*Store, error) {
	s := &Store{path: path, dir: !strings.HasSuffix(path, ".jsonl")}
	name := path
	if s.dir {
		if err := os.MkdirAll(path, 0o755); err != nil {
			return nil, err
		}
		name = filepath.Join(path, record.FileName)
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	s.file, s.Writer = f, record.NewWriter(f)
	return s, nil
}

// Close writes what is made from the records, and the plan unless it is empty.
func (s *Store) Close(plan []byte) error {
	if err := s.file.Close(); err != nil || !s.dir {
		return err
	}
	if len(plan) > 0 {
		if err := os.WriteFile(filepath.Join(s.path, "plan.yaml"), plan, 0o644); err != nil {
			return err
		}
	}
	data := &record.Data{}
	f, err := os.Open(filepath.Join(s.path, record.FileName))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := data.Read(f.Name(), f); err != nil {
		return err
	}
	return Render(s.path, data)
}

// Render writes bench.txt, summary.csv, summary.md and report.html into a directory.
func Render(dir string, data *record.Data) error {
	var bench, summary, page, tables bytes.Buffer
	err := errors.Join(Bench(&bench, data), CSV(&summary, data), HTML(&page, data), Text(&tables, data, Detail{Format: "md", Wide: true, Verbose: true, Source: true}))
	if err != nil {
		return err
	}
	for name, text := range map[string]*bytes.Buffer{"bench.txt": &bench, "summary.csv": &summary, "summary.md": &tables, "report.html": &page} {
		if err := os.WriteFile(filepath.Join(dir, name), text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
