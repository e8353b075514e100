package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// ownCost reads a profile and returns the instructions of the functions of one object file,
// without those of the functions that they call.
func ownCost(name, object string) (int64, error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, fmt.Errorf("a profile is missing: did valgrind run the program to its end? %w", err)
	}
	defer f.Close()
	n, err := parse(f, object)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	if n == 0 {
		return 0, fmt.Errorf("%s: nothing in it is of %s; count with the binary that was run", name, object)
	}
	return n, nil
}

// parse adds up the lines "position cost" after an "ob=object" line, except for the line
// after "calls=", which has the cost of the called function.
func parse(r io.Reader, object string) (sum int64, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20) // names of Go functions can be long
	ours, called := false, false
	for lines.Scan() {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, "ob="):
			ours = line[len("ob="):] == object
		case strings.HasPrefix(line, "calls="):
			called = true
		case line != "" && line[0] >= '0' && line[0] <= '9':
			if called || !ours {
				called = false
				continue
			}
			_, cost, _ := strings.Cut(line, " ")
			n, err := strconv.ParseInt(cost, 10, 64)
			if err != nil {
				return 0, fmt.Errorf("line %q is no position and cost; callgrind is to run with --compress-pos=no and to count instructions only", line)
			}
			sum += n
		}
	}
	return sum, lines.Err()
}
