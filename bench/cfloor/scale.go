package cfloor

/*
#include "scale.h"
*/
import "C"

import (
	"fmt"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Scale is a PUSH that is connected to many PULL sockets over inproc, and zmq_poll for all
// of these. Its methods are for one goroutine at a time, and block its thread.
type Scale struct{ c *C.cf_scale }

// OpenScale creates a Scale with the given number of PULL sockets.
func OpenScale(sockets int) (*Scale, error) {
	if err := libzmq.Load(); err != nil {
		return nil, err
	}
	s := &Scale{}
	if rc := C.cf_scale_open((*C.gz_api)(libzmq.API()), C.int(sockets), &s.c); rc < 0 {
		return nil, failure(fmt.Sprintf("open %d sockets", sockets), rc)
	}
	return s, nil
}

// One sends a message to the next socket in turn, polls all sockets and receives the
// message. It repeats that for the given number of polls.
func (s *Scale) One(polls int) (time.Duration, error) {
	rc := C.cf_scale_one(s.c, C.int64_t(polls))
	return time.Duration(s.c.elapsed_ns), failure("poll", rc)
}

// Fill sends a message to each socket.
func (s *Scale) Fill() error { return failure("send", C.cf_scale_fill(s.c)) }

// All polls the given number of times while all sockets have a message.
func (s *Scale) All(polls int) (time.Duration, error) {
	rc := C.cf_scale_all(s.c, C.int64_t(polls))
	return time.Duration(s.c.elapsed_ns), failure("poll", rc)
}

// Close closes the sockets and frees the context. Further calls do nothing.
func (s *Scale) Close() error {
	if s.c != nil {
		C.cf_scale_close(s.c)
		s.c = nil
	}
	return nil
}
