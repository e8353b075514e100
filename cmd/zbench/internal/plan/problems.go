package plan

import (
	"fmt"
	"strings"
)

// Problems is everything that is wrong with a plan, a line each, so that all of it can be
// corrected at once.
type Problems []error

// Error returns the lines.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, err := range p {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// add adds a problem, unless it is there already: cells have many in common.
func (p *Problems) add(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	for _, other := range *p {
		if other.Error() == err.Error() {
			return
		}
	}
	*p = append(*p, err)
}
