package cfloor

/*
#include "floor.h"
*/
import "C"

import "fmt"

// mask returns processors as the C side has them. Numbers that are too high are left
// out.
func mask(cpus []int) (m C.cf_cpus) {
	for _, cpu := range cpus {
		if cpu >= 0 && cpu < C.CF_CPUS {
			m.bits[cpu/64] |= 1 << (cpu % 64)
		}
	}
	return m
}

// PinThread puts the calling thread on processors; the goroutine has to be locked to
// it. undo puts it back where it was. Where the system has no such call it fails.
// sched_setaffinity.
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

// Affinity returns the processors on which the system lets the calling thread run;
// nothing where it does not say. sched_getaffinity.
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
