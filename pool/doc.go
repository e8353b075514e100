// Package pool lends messages whose native memory is used again and again: no
// malloc and no page fault for a large message, no garbage for any.
//
//	m, err := p.Get(len(data)) // or GetBytes(data)
//	copy(m.Bytes(), data)
//	err = s.SendMessage(m)     // the memory comes back by itself
//	p.Put(m)                   // the Message, too, is used again
//
// # Two things that come back
//
// The memory and the Message take different ways. SendMessage hands the memory to
// libzmq, which calls a function in C when it is done with it, on whichever
// thread; that pushes it on a stack without a lock, and a later Get takes the
// whole stack with one atomic exchange. The Message is Go's, and Put gives it back
// for another Get; without Put it becomes garbage, and nothing else happens. Put
// also takes a Message that was not sent, with its memory.
//
// Messages of less than 512 bytes are copied when they are sent, because that is
// faster: for a message that points to other memory libzmq allocates as well. Their
// memory is back when SendMessage returns. See copyBelow for the measurement.
//
// # Finding misuse
//
// With GOZMQ_DEBUG=pool in the environment when a pool is made, it reports on
// standard error, with the lines of the calls concerned: a Message that is put
// twice, used after Put, or belongs to no pool; memory that is written after Put
// or after it was sent. Messages are not used again then, so that each mistake is
// seen, and everything is slower. Without it such Messages are refused where that
// costs nothing: a second Put is, until the Message is handed out again.
package pool
