package cfloor

/*
#include "floor.h"
*/
import "C"

import (
	"unsafe"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Proxy is zmq_proxy on a thread of its own.
type Proxy struct{ c *C.cf_proxy }

// StartProxy starts a thread that forwards messages between two sockets. No other thread may
// use them until Join has returned.
func StartProxy(frontend, backend libzmq.Socket) (*Proxy, error) {
	p := &Proxy{}
	rc := C.cf_proxy_start((*C.gz_api)(libzmq.API()), unsafe.Pointer(frontend), unsafe.Pointer(backend), &p.c)
	if rc < 0 {
		return nil, failure("proxy", rc)
	}
	return p, nil
}

// Join waits for the end of the thread. Only a shutdown of the sockets' context ends it.
func (p *Proxy) Join() { C.cf_proxy_join(p.c) }
