// Package park keeps the goroutines that wait for a socket, wakes them, and says for how long a
// receiver tries again before its goroutine parks. It knows neither sockets nor libzmq. Package
// core decides who waits and when to wake; its package comment proves that no wake-up is lost.
//
// # Spinning
//
// Before a receiver parks, it spins: it lets other threads and goroutines run and looks again,
// for a short time, because the message often arrives within the microseconds that it takes to
// park a thread and to wake it. The sockets of package core and the poller do this.
//
// A socket that received several messages since its last wait looks only a few times,
// because messages gather while its receiver is parked. Without these few looks, a stream
// of 1 KiB messages took 1.1 to 1.2 times as long. After an unsuccessful spin, the socket
// spins less often. This also covers a machine that is busy with other programs, where a
// single yield can outlast the spin.
//
// An earlier policy yielded three times, spun, and then waited for the descriptor on the
// receiver's own thread. The table has this policy's time and processor time as multiples
// of the earlier ones: medians of 6 interleaved runs on two cores, idle and in use by other
// programs.
//
//	                              idle            in use
//	a round trip over tcp         0.98, 0.90      0.75, 0.76
//	REQ to REP                    1.01, 1.02      0.71, 0.74
//	100 requests in flight        0.89, 1.03      0.30, 0.39
package park
