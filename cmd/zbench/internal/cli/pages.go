package cli

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/report"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/result"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

// openResult opens a directory of results. What it has of others that are not added to is
// removed, so that no file is of another result than the records are.
func openResult(dir string, add bool) (*result.Directory, error) {
	d, err := result.Open(dir, add)
	if err != nil || add {
		return d, err
	}
	if err := os.Remove(d.Path("plan.yaml")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return d, report.Clear(dir)
}

// addPages adds report.html and the plots to a directory of results. What has no valid
// run, since it was interrupted or all of them failed, has no pages.
func addPages(dir string) error {
	f, err := os.Open(filepath.Join(dir, record.FileName))
	if err != nil {
		return err
	}
	var data record.Data
	err = data.Read(f.Name(), f)
	f.Close()
	if err != nil {
		return err
	}
	valid := false
	for i := range data.Runs {
		valid = valid || data.Runs[i].Valid()
	}
	if !valid {
		return nil
	}
	set, err := series.Load([]string{dir}, nil)
	if err != nil {
		return err
	}
	return report.WritePages(dir, set)
}
