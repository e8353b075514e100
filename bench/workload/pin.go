package workload

import (
	"fmt"
	"strconv"
	"strings"
)

// Pin says on which processors threads run. With an empty list the system chooses.
type Pin struct {
	Senders   []int // the threads that send first
	Receivers []int // the threads that receive from the senders
	IO        []int // libzmq's threads
}

// mostCPU is one more than the highest valid processor number.
const mostCPU = 1024

// ParsePin parses three lists of processors, such as 0/1/0-1 or 0,2/1/: for the senders,
// the receivers and libzmq's threads. If a list is empty or missing, the system chooses.
func ParsePin(text string) (Pin, error) {
	var p Pin
	if text == "" {
		return p, nil
	}
	lists := strings.Split(text, "/")
	to := []*[]int{&p.Senders, &p.Receivers, &p.IO}
	if len(lists) > len(to) {
		return p, fmt.Errorf("pin %q: there are %d lists; write one for senders, one for receivers and one for libzmq's threads, such as 0/1/0-1", text, len(lists))
	}
	for i, list := range lists {
		cpus, err := parseCPUs(list)
		if err != nil {
			return p, fmt.Errorf("pin %q: %w", text, err)
		}
		*to[i] = cpus
	}
	return p, nil
}

// CPUs returns all processors in the three lists, including duplicates.
func (p Pin) CPUs() []int {
	return append(append(append([]int(nil), p.Senders...), p.Receivers...), p.IO...)
}

// parseCPUs parses a list such as 0,2-3.
func parseCPUs(list string) (cpus []int, err error) {
	if list == "" {
		return nil, nil
	}
	for word := range strings.SplitSeq(list, ",") {
		from, to, isRange := strings.Cut(word, "-")
		if !isRange {
			to = from
		}
		first, err1 := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil || first < 0 || last < first || last >= mostCPU {
			return nil, fmt.Errorf("%q is no list of processors; write numbers and ranges below %d, such as 0,2-3", list, mostCPU)
		}
		for cpu := first; cpu <= last; cpu++ {
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}

// pin returns the Pin of the Spec, which Validate has checked.
func (s Spec) pin() Pin {
	p, _ := ParsePin(s.Pin)
	return p
}
