package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"strings"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// Profiler writes the profiles that go test has flags for, of the first run of
// each cell. One file has one cell: with several, the cell's name is put before the
// file's extension.
type Profiler struct {
	Files map[string]string // by go test's name: "cpuprofile"
	Many  bool              // several cells

	names record.FileNames
}

// Wanted reports whether there is anything to write.
func (p *Profiler) Wanted() bool {
	for _, file := range p.Files {
		if file != "" {
			return true
		}
	}
	return false
}

// path returns the file for a cell.
func (p *Profiler) path(file string, cell record.Cell) string {
	if !p.Many {
		return file
	}
	extension := filepath.Ext(file)
	return strings.TrimSuffix(file, extension) + "-" + p.names.Of(cell) + extension
}

// Start starts the profiles of a cell and returns what ends them.
func (p *Profiler) Start(cell record.Cell) (stop func() error) {
	var errs []error
	var stops []func() error
	open := func(name string, begin func(*os.File) error, end func(*os.File) error) {
		if p.Files[name] == "" {
			return
		}
		f, err := os.Create(p.path(p.Files[name], cell))
		if err == nil {
			err = begin(f)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("--%s: %w", name, err))
			return
		}
		stops = append(stops, func() error { return errors.Join(end(f), f.Close()) })
	}
	nothing := func(*os.File) error { return nil }
	lookup := func(name string, before func()) func(*os.File) error {
		return func(f *os.File) error {
			before()
			return pprof.Lookup(name).WriteTo(f, 0)
		}
	}
	open("memprofile", nothing, lookup("allocs", runtime.GC))
	open("mutexprofile", func(*os.File) error { runtime.SetMutexProfileFraction(1); return nil },
		lookup("mutex", func() { runtime.SetMutexProfileFraction(0) }))
	open("blockprofile", func(*os.File) error { runtime.SetBlockProfileRate(1); return nil },
		lookup("block", func() { runtime.SetBlockProfileRate(0) }))
	open("trace", func(f *os.File) error { return trace.Start(f) }, func(*os.File) error { trace.Stop(); return nil })
	open("cpuprofile", func(f *os.File) error { return pprof.StartCPUProfile(f) }, func(*os.File) error { pprof.StopCPUProfile(); return nil })
	return func() error {
		for _, stop := range stops {
			errs = append(errs, stop())
		}
		return errors.Join(errs...)
	}
}
