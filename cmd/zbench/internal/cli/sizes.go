package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
)

// sizes is a flag's list of sizes in bytes: "64,1KiB,64KiB".
type sizes []int

// Set replaces the list.
func (s *sizes) Set(text string) error {
	var list []int
	for word := range strings.SplitSeq(text, ",") {
		n, err := plan.ParseSize(strings.TrimSpace(word))
		if err == nil && n == 0 {
			err = fmt.Errorf("%q is not a size that quick measures; use 8 bytes or more", strconv.Itoa(n))
		}
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
		words[i] = plan.FormatSize(n)
	}
	return strings.Join(words, ",")
}

// Type is what help calls a value.
func (s *sizes) Type() string { return "list" }
