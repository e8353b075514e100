package plan

import (
	"fmt"
	"strings"
)

// Problems is what is wrong with a plan: all of it, so that it can be put right at
// once. Each is a line.
type Problems []error

// Error returns a line for each.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, err := range p {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

func (p *Problems) add(format string, args ...any) { *p = append(*p, fmt.Errorf(format, args...)) }

// once drops what is there already: the cells of a matrix have much in common.
func (p Problems) once() (all Problems) {
	seen := map[string]bool{}
	for _, err := range p {
		if !seen[err.Error()] {
			seen[err.Error()] = true
			all = append(all, err)
		}
	}
	return all
}
