package record

import "fmt"

// The exit codes of zbench, which an End has. A signal adds its number to 128, as in a shell.
const (
	Failed  = 1
	Usage   = 2  // a mistake in the command line, or a comparison that is refused
	Unfit   = 3  // measured, but not as asked for: less load, or fewer messages, peers or hosts
	NoPower = 4  // compare --fail-on: such a change could not have been seen
	Missed  = 99 // an objective, or a limit of compare --fail-on
)

// An ExitError is an error with an exit code of its own.
type ExitError struct {
	Code int
	Err  error
}

// Error returns the text of the error.
func (e ExitError) Error() string { return e.Err.Error() }

// Unwrap returns the error without its code.
func (e ExitError) Unwrap() error { return e.Err }

// Exitf returns an ExitError.
func Exitf(code int, format string, args ...any) error {
	return ExitError{code, fmt.Errorf(format, args...)}
}

// ExitCode returns the exit code for an error. Of several errors the least code counts: a
// failure makes everything else doubtful.
func ExitCode(err error) int {
	switch e := err.(type) {
	case nil:
		return 0
	case ExitError:
		return e.Code
	case interface{ Unwrap() error }:
		return ExitCode(e.Unwrap())
	case interface{ Unwrap() []error }: // of errors.Join
		code := Missed
		for _, err := range e.Unwrap() {
			code = min(code, ExitCode(err))
		}
		return code
	}
	return Failed
}
