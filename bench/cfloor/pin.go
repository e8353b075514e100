package cfloor

/*
#include "floor.h"
*/
import "C"

import "fmt"

// mask converts a list of processors. It ignores numbers that are too high.
func mask(cpus []int) (m C.cf_cpus) {
	for _, cpu := range cpus {
		if cpu >= 0 && cpu < C.CF_CPUS {
			m.bits[cpu/64] |= 1 << (cpu % 64)
		}
	}
	return m
}

// PinThread pins the calling thread to processors. The goroutine must be locked to the
// thread. undo restores the previous processors. PinThread fails where the system has no
// such call.
func PinThread(cpus []int) (undo func(), err error) {
	wanted := mask(cpus)
	var before C.cf_cpus
	if rc := C.cf_pin(&wanted, &before); rc < 0 {
		return func() {}, failure(fmt.Sprintf("pin a thread to processors %v", cpus), rc)
	}
	return func() {
		// This fails only if the process has lost these processors since.
		C.cf_pin(&before, nil)
	}, nil
}

// Affinity returns the processors on which the calling thread may run, or nil if the system
// does not say.
func Affinity() (cpus []int) {
	var m C.cf_cpus
	if C.cf_affinity(&m) < 0 {
		return nil
	}
	for cpu := range int(C.CF_CPUS) {
		if m.bits[cpu/64]>>(cpu%64)&1 == 1 {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}
