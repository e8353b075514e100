// Package cfloor runs the benchmarks' workloads in C: the floor that a binding
// cannot go below, since it calls the same libzmq in the same process and
// crosses nothing. Only internal/workload and benchmarks use it.
//
// It makes its own context and sockets, with the options of the Go side, and
// starts two threads a run: a sender, and a receiver that has the clock. Neither
// the making of sockets and threads nor the first connection is in the time.
//
// Proxy is the floor of package zmq's proxy, which its benchmark measures beside it,
// on sockets that the benchmark made.
package cfloor
