package role

import (
	"github.com/spf13/pflag"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
)

// NewPlan returns the plan of a side without flags.
func NewPlan(verb string) *plan.Plan {
	p := plan.New(verb)
	p.Flags(pflag.NewFlagSet(verb, pflag.ContinueOnError))
	p.Read()
	return p
}
