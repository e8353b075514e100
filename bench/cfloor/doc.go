// Package cfloor is the C baseline of the benchmarks: their workloads in C, with the same
// libzmq in the same process and no calls between Go and C during a run. Only
// bench/workload and benchmarks use it.
//
// It creates its own context and sockets, with the options of the Go side. A run starts a
// thread for each socket. Threads, sockets and connections are created before the clock
// starts.
//
// Proxy is the baseline of package zmq's proxy. It uses sockets of the benchmark.
package cfloor
