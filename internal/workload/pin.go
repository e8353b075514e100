package workload

import (
	"fmt"
	"strconv"
	"strings"
)

// Pin says on which processors threads run. An empty list is wherever the system puts
// them.
type Pin struct {
	Senders   []int // the threads that send first
	Receivers []int // those that receive from them
	IO        []int // libzmq's own
}

// mostCPU is one more than the highest number of a processor that can be named.
const mostCPU = 1024

// ParsePin reads three lists of processors, such as 0/1/0-1 or 0,2/1/: of senders, of
// receivers and of libzmq's threads. A list that is empty or left out is wherever.
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

// CPUs returns all processors that are named, each as often as it is.
func (p Pin) CPUs() []int {
	return append(append(append([]int(nil), p.Senders...), p.Receivers...), p.IO...)
}

// parseCPUs reads a list such as 0,2-3.
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

// pin returns the Spec's, which Validate has looked at.
func (s Spec) pin() Pin {
	p, _ := ParsePin(s.Pin)
	return p
}
