package cfloor

/*
#include "floor.h"
*/
import "C"

import (
	"unsafe"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Proxy is libzmq's own proxy on a thread of C's.
type Proxy struct{ c *C.cf_proxy }

// StartProxy starts a thread that moves messages between two sockets. Only that thread may
// use them until Join has returned. zmq_proxy.
func StartProxy(frontend, backend libzmq.Socket) (*Proxy, error) {
	p := &Proxy{}
	rc := C.cf_proxy_start((*C.gz_api)(libzmq.API()), unsafe.Pointer(frontend), unsafe.Pointer(backend), &p.c)
	if rc < 0 {
		return nil, failure("proxy", rc)
	}
	return p, nil
}

// Join waits for the thread's end, which only a shutdown of the sockets' context
// brings.
func (p *Proxy) Join() { C.cf_proxy_join(p.c) }
