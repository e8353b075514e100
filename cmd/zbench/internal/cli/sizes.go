package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// sizes is a flag's list of sizes in bytes: "64,1KiB,64KiB".
type sizes []int

// Set replaces the list.
func (s *sizes) Set(text string) error {
	var list []int
	for word := range strings.SplitSeq(text, ",") {
		n, err := parseSize(strings.TrimSpace(word))
		if err != nil {
			return err
		}
		list = append(list, n)
	}
	*s = list
	return nil
}

// String returns the list as Set takes it.
func (s *sizes) String() string {
	words := make([]string, len(*s))
	for i, n := range *s {
		words[i] = formatSize(n)
	}
	return strings.Join(words, ",")
}

// Type is what help calls a value.
func (s *sizes) Type() string { return "list" }

var sizeUnits = []struct {
	name  string
	bytes int
}{{"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}, {"", 1}}

func parseSize(word string) (int, error) {
	for _, u := range sizeUnits {
		digits, ok := strings.CutSuffix(word, u.name)
		if !ok {
			continue
		}
		n, err := strconv.Atoi(digits)
		if err != nil || n <= 0 || n > math.MaxInt32/u.bytes {
			break
		}
		return n * u.bytes, nil
	}
	return 0, fmt.Errorf("%q is not a size; use bytes, KiB or MiB, such as 64,1KiB,64KiB", word)
}

func formatSize(n int) string {
	for _, u := range sizeUnits[:2] {
		if n >= u.bytes && n%u.bytes == 0 {
			return strconv.Itoa(n/u.bytes) + u.name
		}
	}
	return strconv.Itoa(n)
}
