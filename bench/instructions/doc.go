// Command instructions counts the machine instructions that sending and receiving
// a message take in this module: Go and the C shims, without libzmq and libc. Unlike
// time, the number is nearly the same on a busy machine as on an idle one, so that a
// check can fail on a growth of a few percent. TestInstructionsPerMessage runs the command
// under valgrind:
//
//	go test -v -run PerMessage ./bench/instructions -valgrind
//	go test -v -run PerMessage ./bench/instructions -valgrind -update
//
// # How it counts
//
// One goroutine on the first thread of the process sends messages over inproc and then
// receives them, so no call waits. Callgrind writes a profile each time mark is entered.
// The cost of a step is the sum of the first thread's instructions in the file of this
// program, which excludes libzmq. It adds up the own costs of the functions, because
// callgrind cannot follow calls from Go's stacks to those of C, and its inclusive costs
// are wrong here.
//
// # What disturbs it
//
// The runtime preempts a goroutine that has run for 10 ms, which costs a few hundred
// instructions. So each step is repeated, and the cheapest repetition counts. The
// garbage collector is off.
package main
