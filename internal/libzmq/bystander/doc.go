// Package bystander is, in tests, C code that shares the process with go-zmq and does not use
// it. It calls the functions of the C library to which the guard of package libzmq redirects
// libzmq's imports.
package bystander
