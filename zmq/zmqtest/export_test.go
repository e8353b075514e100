package zmqtest

import "time"

// Settle sets how long a leak must last to be one, and returns a function that restores it.
func Settle(d time.Duration) (restore func()) {
	before := settle
	settle = d
	return func() { settle = before }
}
