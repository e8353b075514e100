// Command instructions counts the machine instructions that sending and receiving
// a message take in this module: Go and the C shims, without libzmq and libc. Unlike
// time, the number is nearly the same on a busy machine as on an idle one, so that a
// check can fail on a growth of a few percent. scripts/instructions.sh runs it.
//
//	valgrind --tool=callgrind --separate-threads=yes --dump-before=main.mark \
//	  --compress-strings=no --compress-pos=no --callgrind-out-file=DIR/profile instructions run
//	instructions check DIR/profile bench/instructions.txt
//	instructions table DIR/profile >bench/instructions.txt
//
// # How it counts
//
// One goroutine on the process's first thread sends messages over inproc and then
// receives them, so that nobody ever waits. Callgrind writes a profile each time
// mark is entered. What a profile says of the first thread and of this program's own
// file is the sum for one step; that is why libzmq is not in it. The costs are taken
// as each function's own: callgrind cannot follow calls from Go's stacks to C's,
// so its inclusive costs are not to be trusted here.
//
// # What disturbs it
//
// The runtime's monitor takes the processor away from a goroutine that has had it
// for 10 ms, and getting it back costs a few hundred instructions. So each step is
// repeated, and the cheapest repetition counts. The collector, which would come at
// its own times, is off.
package main
