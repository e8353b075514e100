// Package bystander is, in tests, C code that shares the process with go-zmq and does
// not use it. It calls the functions of the C library that package libzmq stands in for.
package bystander
