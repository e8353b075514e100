package series

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
)

// Load reads results: files of go test -bench output, files of zbench's records,
// directories that have either, and "-", which is stdin. Runs of the same benchmark
// become one series.
func Load(paths []string, stdin io.Reader) (*Set, error) {
	var all *Set
	for _, path := range paths {
		s, err := loadOne(path, stdin)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = s
		} else if err := all.merge(s); err != nil {
			return nil, err
		}
	}
	if all == nil {
		return nil, errors.New("no results: name a file or a directory that has them")
	}
	return all, nil
}

func loadOne(path string, stdin io.Reader) (*Set, error) {
	if path == "-" {
		text, err := io.ReadAll(stdin)
		if err != nil {
			return nil, err
		}
		return parse("standard input", text)
	}
	file, err := resultFile(path)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("no results: %w; name a file of go test -bench output or of zbench's records", err)
	}
	s, err := parse(filepath.ToSlash(file), text)
	if err != nil {
		return nil, err
	}
	env, err := os.ReadFile(strings.TrimSuffix(file, ".txt") + ".env")
	switch {
	case err == nil:
		s.takeEnv(strings.Split(strings.TrimSpace(string(env)), "\n"))
	case !errors.Is(err, os.ErrNotExist):
		return nil, err
	}
	return s, nil
}

// resultFile returns the file with the results of a directory: zbench's records
// say more than the lines for benchstat that it writes beside them.
func resultFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("no results: %w; make some with: make bench", err)
	}
	if !info.IsDir() {
		return path, nil
	}
	for _, name := range []string{"results.jsonl", "bench.txt"} {
		file := filepath.Join(path, name)
		if _, err := os.Stat(file); err == nil {
			return file, nil
		}
	}
	return "", fmt.Errorf("no results: %s has neither results.jsonl nor bench.txt; make some with: zbench matrix -o %s, or make bench", path, path)
}

// parse tells records from benchmark lines by what they begin with: in a
// container's log both may be mixed with other lines.
func parse(from string, text []byte) (*Set, error) {
	s := newSet(from)
	read := s.readBench
	if hasRecords(text) {
		read = s.readRecords
	}
	if err := read(text); err != nil {
		return nil, err
	}
	if len(s.Series) == 0 {
		return nil, fmt.Errorf("%s has no benchmark results; it should be the output of go test -bench, or zbench's records", from)
	}
	return s, nil
}

func (s *Set) readBench(text []byte) error {
	r := benchfmt.NewReader(bytes.NewReader(text), s.From)
	for r.Scan() {
		switch record := r.Result().(type) {
		case *benchfmt.SyntaxError:
			return record
		case *benchfmt.Result:
			values := make([]Value, len(record.Values))
			for i, v := range record.Values {
				values[i] = Value{v.Unit, v.Value}
			}
			s.add(record.Name, record.Iters, values)
			for _, key := range []string{"goos", "goarch", "cpu"} {
				if value := record.GetConfig(key); value != "" {
					s.Machine[key] = value
				}
			}
			if procs := processors(record.Name); procs != "" {
				s.Machine["GOMAXPROCS"] = procs
			}
		}
	}
	s.Units, s.Lines = r.Units(), true
	return r.Err()
}

// processors returns the number that go test appends to a name.
func processors(name benchfmt.Name) string {
	_, parts := name.Parts()
	for _, part := range parts {
		if part[0] == '-' {
			return string(part[1:])
		}
	}
	return ""
}

// takeEnv keeps what make bench wrote down of the machine.
func (s *Set) takeEnv(lines []string) {
	s.Env = lines
	var i machine.Info
	for _, line := range lines {
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case "cores", "cpu":
			s.Machine[key] = value
		case "load at start":
			i.Load = firstLoad(value)
		case "libzmq":
			s.Machine["libzmq's file"] = value // records have its version
		case "go":
			version, _, _ := strings.Cut(value, " ")
			s.Machine["go"] = minor(version)
		case "kernel":
			s.Machine["kernel"] = kernel(value)
		case "command":
			for _, flag := range []string{"-race", "-asan", "-msan"} {
				if strings.Contains(" "+value+" ", " "+flag+" ") {
					s.Instrumented = append(s.Instrumented, s.From+" was built with "+flag)
				}
			}
		}
	}
	i.Cores, _ = strconv.Atoi(s.Machine["cores"])
	if i.GOMAXPROCS = i.Cores; i.Cores > 0 { // else a load says nothing
		s.takeVerdict(i)
	}
}

// firstLoad returns the average of the last minute of what uptime says: "2.36, 2.62, 7.68",
// "2,36, 2,62, 7,68" in other languages, and "2.36 2.62 7.68" on other systems. 0: it is
// not to be read.
func firstLoad(text string) float64 {
	first, _, _ := strings.Cut(text, " ")
	load, err := strconv.ParseFloat(strings.Replace(strings.TrimSuffix(first, ","), ",", ".", 1), 64)
	if err != nil {
		return 0
	}
	return load
}

// kernel takes its version from what a system calls itself: "Linux 6.18.4-x".
func kernel(system string) string { return minor(system[strings.LastIndexByte(system, ' ')+1:]) }

// minor shortens a version to its first two numbers.
func minor(version string) string {
	dots := 0
	for i, c := range version {
		if c == '.' {
			if dots++; dots == 2 {
				return version[:i]
			}
		}
		if dots == 1 && (c == '-' || c == '+') {
			return version[:i]
		}
	}
	return version
}
