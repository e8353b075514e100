package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
)

// Callgrind counts by thread, and the profiles are those of the first.
func init() { runtime.LockOSThread() }

func main() {
	if err := command(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "instructions:", err)
		os.Exit(1)
	}
}

func command(args []string) error {
	switch {
	case len(args) == 1 && args[0] == "run":
		return run(mark)
	case len(args) == 2 && args[0] == "table":
		counts, err := countAll(args[1])
		if err != nil {
			return err
		}
		return table{madeWith: toolchain(), counts: counts}.write(os.Stdout)
	case len(args) == 3 && args[0] == "check":
		counts, err := countAll(args[1])
		if err != nil {
			return err
		}
		old, err := readTable(args[2])
		if err != nil {
			return err
		}
		return old.check(table{madeWith: toolchain(), counts: counts}, os.Stdout)
	}
	return errors.New("usage: instructions run | table PROFILE | check PROFILE TABLE")
}

// toolchain says what the counts depend on besides the code. The C compiler is not
// known to a Go program: the script that built this one tells.
func toolchain() string {
	made := runtime.Version() + " " + runtime.GOARCH
	if cc := os.Getenv("CC_VERSION"); cc != "" {
		made += ", " + cc
	}
	return made
}

// countAll reads the profiles of a run, of which prefix is how their names begin,
// and returns the instructions per message of each step.
func countAll(prefix string) (map[string]float64, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	counts := map[string]float64{}
	for i, step := range plan() {
		if step == "" {
			continue
		}
		// Callgrind counts its profiles from 1, and adds the thread's number.
		name := fmt.Sprintf("%s.%d-01", prefix, i+1)
		n, err := ownCost(name, binary)
		if err != nil {
			return nil, err
		}
		per := float64(n) / messages
		if least, seen := counts[step]; !seen || per < least {
			counts[step] = per
		}
	}
	return counts, nil
}
