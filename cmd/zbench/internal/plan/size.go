package plan

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

var sizeUnits = []struct {
	name  string
	bytes int
}{{"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}, {"", 1}}

// ParseSize reads a size such as 64, 1KiB or 3MiB.
func ParseSize(word string) (int, error) {
	for _, u := range sizeUnits {
		digits, ok := strings.CutSuffix(word, u.name)
		if !ok {
			continue
		}
		n, err := strconv.Atoi(digits)
		if err != nil || n < 0 || n > math.MaxInt32/u.bytes {
			break
		}
		return n * u.bytes, nil
	}
	return 0, fmt.Errorf("%q is not a size; use bytes, KiB or MiB, such as 64,1KiB,64KiB or 64..64KiB*4", word)
}

// FormatSize returns a size as ParseSize takes it.
func FormatSize(n int) string {
	for _, u := range sizeUnits[:2] {
		if n >= u.bytes && n%u.bytes == 0 {
			return strconv.Itoa(n/u.bytes) + u.name
		}
	}
	return strconv.Itoa(n)
}

// parseSizes reads one size, or a sweep such as 64..64KiB*4.
func parseSizes(word string) ([]int, error) {
	from, rest, sweep := strings.Cut(word, "..")
	if !sweep {
		n, err := ParseSize(word)
		return []int{n}, err
	}
	to, times, _ := strings.Cut(rest, "*")
	first, err := ParseSize(from)
	if err != nil {
		return nil, err
	}
	last, err := ParseSize(to)
	if err != nil {
		return nil, err
	}
	factor := 2
	if times != "" {
		if factor, err = strconv.Atoi(times); err != nil {
			factor = 0
		}
	}
	if first < 1 || last < first || factor < 2 {
		return nil, fmt.Errorf("%q is no sweep of sizes; write one such as 64..64KiB*4, from 1 byte up and by 2 at least", word)
	}
	var list []int
	for n := first; n <= last; n *= factor {
		list = append(list, n)
	}
	return list, nil
}
