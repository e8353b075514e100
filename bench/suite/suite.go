//go:build unix

// Package suite has the benchmarks of the root package. They are functions here, so that the
// root has only their names.
package suite

import (
	"flag"
	"slices"
	"testing"
)

// Named reports whether the flags name benchmarks. With -bench=. they do not: then go test
// runs a choice that ends long before its -timeout of 10 minutes.
func Named() bool {
	pattern := flag.Lookup("test.bench").Value.String()
	return *benchMatrix || *benchSweep || !slices.Contains([]string{".", ".*"}, pattern)
}

// onlyNamed skips a benchmark that is not part of the choice.
func onlyNamed(b *testing.B) {
	b.Helper()
	if !Named() {
		b.Skip("run it with -bench=NAME or -bench=Benchmark")
	}
}
