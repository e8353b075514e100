package plan

import (
	"errors"
	"fmt"
	"slices"
)

// Problems is everything that is wrong with a plan, a line each, so that all of it can be
// corrected at once.
type Problems []error

// Error returns the lines.
func (p Problems) Error() string {
	return errors.Join(p...).Error()
}

// add adds a problem, unless it is there already: cells have many in common.
func (p *Problems) add(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	if !slices.ContainsFunc(*p, func(other error) bool { return other.Error() == err.Error() }) {
		*p = append(*p, err)
	}
}
