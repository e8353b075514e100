package machine

import (
	"io/fs"
	"os"
	"strings"
)

// files are those in which the system says what it is, by their absolute paths.
type files struct{ fs.FS }

var system = files{os.DirFS("/")}

// content returns a file's content, or nothing where the system has no such file.
func (f files) content(path string) []byte {
	data, err := fs.ReadFile(f, strings.TrimPrefix(path, "/"))
	if err != nil {
		return nil
	}
	return data
}

func (f files) line(path string) string { return strings.TrimSpace(string(f.content(path))) }

// matching returns the paths that a pattern has.
func (f files) matching(pattern string) []string {
	paths, err := fs.Glob(f, strings.TrimPrefix(pattern, "/"))
	if err != nil {
		panic(err) // the pattern is wrong
	}
	return paths
}
