package main

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// cgo compiles and hashes only the files of the package's own folder, and `go mod vendor`
// copies only those. So all sources lie in one folder, and each #include of one of them
// names it as it is called there. Nothing else in a file changes.

var includeLine = regexp.MustCompile(`(?m)^([ \t]*#[ \t]*include[ \t]*)"([^"\n]+)"`)

// A flattener copies source files of a tree, with all that they include, into one folder.
type flattener struct {
	files tree
	dirs  []string                 // searched after the folder of the including file
	name  func(path string) string // the name in the one folder
	other map[string]string        // names of files of other trees, by what #include calls them
	out   map[string][]byte
	from  map[string]string // the path of each file of out
}

// add copies a file and, recursively, what it includes. It returns the name that the file has now.
func (f *flattener) add(file string) (string, error) {
	content, there := f.files[file]
	if !there {
		return "", fmt.Errorf("the archive has no %s", file)
	}
	name := f.name(file)
	if before, there := f.from[name]; there {
		if before != file {
			return "", fmt.Errorf("%s and %s would both be called %s", before, file, name)
		}
		return name, nil
	}
	f.from[name] = file
	var failed error
	f.out[name] = includeLine.ReplaceAllFunc(content, func(line []byte) []byte {
		match := includeLine.FindSubmatch(line)
		included := f.included(path.Dir(file), string(match[2]))
		if included == "" {
			return line // a header of the system, or of this package
		}
		if f.other[included] == "" {
			var err error
			if included, err = f.add(included); err != nil && failed == nil {
				failed = err
			}
		} else {
			included = f.other[included]
		}
		return []byte(string(match[1]) + `"` + included + `"`)
	})
	return name, failed
}

// included returns the path of a file that one in dir includes, or "".
func (f *flattener) included(dir, name string) string {
	if f.other[name] != "" {
		return name
	}
	for _, in := range append([]string{dir}, f.dirs...) {
		if file := path.Join(in, name); f.files[file] != nil {
			return file
		}
	}
	return ""
}

// identifiers returns the sorted identifiers in the files that match and that no file
// defines as a macro.
func identifiers(files map[string][]byte, match *regexp.Regexp) []string {
	found := map[string]bool{}
	for _, content := range files {
		for _, name := range match.FindAllString(string(content), -1) {
			found[name] = true
		}
	}
	for _, content := range files {
		for _, m := range macroLine.FindAllSubmatch(content, -1) {
			delete(found, string(m[1]))
		}
	}
	return slices.Sorted(maps.Keys(found))
}

var macroLine = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)`)

// exported returns the functions that zmq.h declares, with those of the draft API or without.
func exported(header []byte, draft bool) (functions []string) {
	isDraft, depth := false, 0
	seen := map[string]bool{}
	for line := range strings.Lines(string(header)) {
		directive := strings.ReplaceAll(strings.TrimSpace(line), " ", "")
		switch {
		case isDraft && strings.HasPrefix(directive, "#if"):
			depth++
		case isDraft && strings.HasPrefix(directive, "#endif"):
			depth--
			isDraft = depth > 0
		case strings.HasPrefix(directive, "#ifdefZMQ_BUILD_DRAFT_API"):
			isDraft, depth = true, 1
		}
		if m := declaration.FindStringSubmatch(line); m != nil && (draft || !isDraft) && !seen[m[1]] {
			seen[m[1]] = true
			functions = append(functions, m[1])
		}
	}
	slices.Sort(functions)
	return functions
}

var declaration = regexp.MustCompile(`\b(zmq_\w+) \(`)
