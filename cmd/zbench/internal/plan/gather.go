package plan

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/pflag"
)

// Gather makes flags keep the mistakes in their values until Read reports them with
// all else that is wrong. By itself a command line ends at the first.
func Gather(flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		// Help tells switches by their type.
		if f.Value.Type() != "bool" {
			f.Value = &patient{Value: f.Value}
		}
	})
}

// patient is a flag's value that takes every text, and remembers what was wrong.
type patient struct {
	pflag.Value
	mistakes []error
}

func (p *patient) Set(text string) error {
	if err := orAsBefore(p.Value, text, p.Value.Set); err != nil {
		p.mistakes = append(p.mistakes, err)
	}
	return nil
}

// orAsBefore sets a value to a text by set, and after a mistake to what it was.
func orAsBefore(value pflag.Value, text string, set func(text string) error) error {
	was := value.String()
	err := set(text)
	switch value.Type() {
	case "int", "uint64", "duration":
		// pflag's own are 0 after a mistake, which would be another.
		if err != nil {
			_ = value.Set(was)
		}
	}
	if number := (*strconv.NumError)(nil); errors.As(err, &number) {
		return fmt.Errorf("%q is no number that it can be; write a whole one, such as 3", text)
	}
	return err
}

// set gives a flag a value that is not from the command line.
func set(flags *pflag.FlagSet, f *pflag.Flag, text string) error {
	return orAsBefore(f.Value, text, func(text string) error { return cause(flags.Set(f.Name, text)) })
}

// cause takes the flag's name off pflag's error: where the value came from is said
// in other words.
func cause(err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		return invalid.Unwrap()
	}
	return err
}

// gathered returns the mistakes since Gather, and makes flags as they were before it.
func gathered(flags *pflag.FlagSet) (problems Problems) {
	flags.VisitAll(func(f *pflag.Flag) {
		p, ok := f.Value.(*patient)
		if !ok {
			return
		}
		f.Value = p.Value
		for _, err := range p.mistakes {
			problems.add("--%s: %w", f.Name, err)
		}
	})
	return problems
}
