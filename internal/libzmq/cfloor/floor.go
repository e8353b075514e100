package cfloor

/*
#cgo CFLAGS: -O2 -Wall
#cgo linux LDFLAGS: -lpthread
#include "floor.h"
#include <stdlib.h>
*/
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Pattern says which sockets talk, and how.
type Pattern int

// The patterns: two go one way, from the socket that connects to the one that
// binds; DealerDealer goes there and back.
const (
	RouterRouter Pattern = C.CF_ROUTER_ROUTER
	PushPull     Pattern = C.CF_PUSH_PULL
	DealerDealer Pattern = C.CF_DEALER_DEALER
)

// Mode says how the receiver receives. DealerDealer is always Blocking.
type Mode int

// The modes, as zbench and the benchmarks name them.
const (
	Blocking Mode = C.CF_BLOCKING
	Batch    Mode = C.CF_BATCH
	Sleep    Mode = C.CF_SLEEP
	Poll     Mode = C.CF_POLL
)

// Config says what a Floor does.
type Config struct {
	Pattern Pattern
	Mode    Mode
	Size    int // of the payload, in bytes; at least 8

	// HighWater is the high-water mark of both sockets, in messages; 0: none.
	HighWater int

	// Lend makes the sender lend libzmq the memory that a message lies in, out of
	// buffers that come back through a lock-free stack, and the receiver receive
	// into a zmq_msg_t: the zero-copy way of C. Only one way, and Blocking.
	Lend bool
}

// ErrIntegrity is what a run fails with when a message was lost, repeated, out of
// order or of the wrong size.
var ErrIntegrity = errors.New("a message was lost, repeated, out of order or of the wrong size; libzmq or the binding is at fault, please report it")

// Floor is a pair of connected sockets and the C code that drives them. Stop may
// be called from any goroutine; the other methods from one at a time.
type Floor struct {
	mu sync.Mutex // guards c against Stop
	c  *C.cf_bench
}

// Open makes a context with two sockets and connects them over the endpoint,
// which may have a wildcard port. It does not wait: Ready does. zmq_ctx_new,
// zmq_socket, zmq_bind, zmq_connect.
func Open(c Config, endpoint string) (*Floor, error) {
	if c.Lend && (c.Pattern == DealerDealer || c.Mode != Blocking) {
		return nil, errors.New("c floor: lending memory is for messages that go one way, in mode Blocking; choose another pattern or mode")
	}
	if err := libzmq.Load(); err != nil {
		return nil, err
	}
	config := C.cf_config{
		pattern: C.int(c.Pattern), mode: C.int(c.Mode), hwm: C.int(c.HighWater), size: C.int64_t(c.Size),
	}
	if c.Lend {
		config.lend = 1
	}
	e := C.CString(endpoint)
	defer C.free(unsafe.Pointer(e))
	f := &Floor{}
	if rc := C.cf_open((*C.gz_api)(libzmq.API()), &config, e, &f.c); rc < 0 {
		return nil, failure(fmt.Sprintf("open %q", endpoint), rc)
	}
	return f, nil
}

// Ready blocks its thread until the sockets have exchanged messages, or Stop.
func (f *Floor) Ready() error { return failure("ready", C.cf_ready(f.c)) }

// Run sends and receives that many messages, or makes as many round trips, and
// returns the time from the opening of the start gate to the last message, as the
// receiver's clock has it, and the CPU time of the whole process meanwhile. It
// blocks its thread. After an error only Close is left. zmq_send, zmq_recv.
func (f *Floor) Run(messages int) (elapsed, cpu time.Duration, err error) {
	if rc := C.cf_run(f.c, C.int64_t(messages)); rc < 0 {
		return 0, 0, failure("run", rc)
	}
	return time.Duration(f.c.elapsed_ns), time.Duration(f.c.cpu_ns), nil
}

// Stop makes a Ready or Run that is under way fail. It does not wait.
// zmq_ctx_shutdown.
func (f *Floor) Stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.c != nil {
		C.cf_stop(f.c)
	}
}

// Close closes the sockets and frees the context; messages that were not received
// are dropped. Further calls do nothing. zmq_close, zmq_ctx_term.
func (f *Floor) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.c != nil {
		C.cf_close(f.c)
		f.c = nil
	}
	return nil
}

func failure(what string, rc C.int) error {
	errno := syscall.Errno(-rc)
	switch {
	case rc == 0:
		return nil
	case errno == syscall.EBADMSG:
		return ErrIntegrity
	case errno == libzmq.ETERM:
		return fmt.Errorf("c floor: %s: stopped: %w", what, errno)
	}
	if text := libzmq.ErrnoText(int(errno)); text != "" {
		return fmt.Errorf("c floor: %s: %s", what, text)
	}
	return fmt.Errorf("c floor: %s: %w", what, errno)
}
