package account_test

import "testing"

// What all tests found, in lines of their own; the file's name makes this the last
// test.
func TestAccountTotals(t *testing.T) {
	faults, sums := totals.lines()
	t.Log(faults)
	t.Log(sums)
}
