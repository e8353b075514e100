// Package pool provides messages whose native memory is reused. It avoids a malloc and
// page faults for each large message, and garbage for every message.
//
//	m, err := p.Get(len(data))   // or GetBytes(data)
//	copy(m.Bytes(), data)
//	err = s.SendMessage(ctx, m)  // libzmq returns the memory to the pool
//	p.Put(m)                     // the pool reuses the Message
//
// # What the pool reuses
//
// The native memory and the Message return separately. SendMessage hands the memory to
// libzmq. When libzmq has finished with it, it calls a C function, on any of its
// threads. That function pushes the memory onto a lock-free stack. A later Get takes the
// whole stack with one atomic exchange.
//
// The Message is a Go value. Put returns it to the pool for another Get. A Message that
// is never put becomes garbage; nothing else is lost. Put also accepts a Message that was
// not sent, together with its memory.
//
// SendMessage copies messages of less than 512 bytes, because libzmq allocates a small
// block even for a message whose memory the caller provides. The memory of a copied
// message is back in the pool when SendMessage returns.
//
// # Finding misuse
//
// If GOZMQ_DEBUG contains "pool" when a pool is created, the pool reports misuse on
// standard error, with the lines of the calls. It reports a Message that is put twice, is
// used after Put or does not come from this pool. It also reports memory that is written
// to after Put, or after SendMessage or SendMessageTo has sent it. It does not watch the
// memory of a Message that was cloned, or of a part that SendMultipartMessage sends. In
// this mode the pool does not reuse Messages, so that misuse of an old one is found, and
// everything is slower. Outside this mode, the pool detects misuse only where the check
// costs nothing: it refuses a second Put until the Message is handed out again.
package pool
