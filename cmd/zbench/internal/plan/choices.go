package plan

import (
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
)

// Choices returns the flags of the verb that take one of a few words, and these words:
// what a shell completes.
func (p *Plan) Choices() map[string][]string {
	choices := map[string][]string{
		"pattern": p.verbPatterns(), "transport": p.verbTransports(), "security": {"null", "curve"},
		"baseline": {"c", "none"}, "format": formats,
	}
	if p.measures(Thr) {
		choices["api"] = APINames()
	}
	if p.measures(Lat) {
		choices["procs"] = []string{"1", "2"}
		choices["arrivals"], choices["pace"] = []string{"uniform", "poisson"}, load.Paces()
	}
	if p.Verb == Matrix {
		choices["measure"] = []string{Thr, Lat}
	}
	return choices
}

// verbPatterns are those that the verb has.
func (p *Plan) verbPatterns() []string {
	switch p.Verb {
	case Thr:
		return thrPatterns()
	case Matrix:
		return Patterns()
	}
	return latPatterns
}
