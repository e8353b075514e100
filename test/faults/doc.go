// Package faults holds tests that make the system fail beneath libzmq and the binding:
// the n-th allocation, thread, descriptor or socket of a program that sends messages in
// one of many ways; all descriptors but k, all threads but k, all memory but some; a
// name server that says nothing; a full disk. Each such point is tried in a process of
// its own, which has to report a *zmq.Error, or notice nothing, and in either case to go
// on working; or it ends with one of libzmq's assertions that docs/safety.md lists.
//
//	scripts/check.sh faults            all points
//	SHORT=1 scripts/check.sh faults    some of each kind
//	go test ./test/faults -v -run TestFaults -point tcp/malloc/17
//
// The functions fail in a library that is loaded before the C library, testdata/faults.c.
package faults
