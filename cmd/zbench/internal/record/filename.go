package record

import (
	"fmt"
	"regexp"
	"strings"
)

// FileNames gives each cell a name that a file can have, without an extension: its text,
// and a number behind it where two cells differ in nothing but signs that files are better
// without. The zero value is ready. It is for one goroutine.
type FileNames struct {
	names map[Cell]string
	taken map[string]bool // in small letters, as some file systems tell no others apart
}

var unfit = regexp.MustCompile(`[^a-zA-Z0-9.]+`)

// Of returns a cell's name, which is the same each time.
func (f *FileNames) Of(c Cell) string {
	if name, ok := f.names[c]; ok {
		return name
	}
	if f.names == nil {
		f.names, f.taken = map[Cell]string{}, map[string]bool{}
	}
	text := strings.Trim(unfit.ReplaceAllString(c.String(), "_"), "_")
	name := text
	for n := 2; f.taken[strings.ToLower(name)]; n++ {
		name = fmt.Sprintf("%s_%d", text, n)
	}
	f.names[c], f.taken[strings.ToLower(name)] = name, true
	return name
}
