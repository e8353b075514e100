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
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Pattern says which sockets talk, and how.
type Pattern int

// The patterns. Of senders or receivers there is one, or of both.
const (
	RouterRouter Pattern = C.CF_ROUTER_ROUTER // one way, one of each
	PushPull     Pattern = C.CF_PUSH_PULL     // one way, many senders or many receivers, among whom messages are dealt out
	DealerDealer Pattern = C.CF_DEALER_DEALER // there and back, one of each
	PubSub       Pattern = C.CF_PUB_SUB       // one way, many receivers, each of whom gets every message
	DealerRouter Pattern = C.CF_DEALER_ROUTER // there and back, many senders
	ReqRep       Pattern = C.CF_REQ_REP       // there and back, many senders
	Pair         Pattern = C.CF_PAIR          // one way, one of each

	ScatterGather Pattern = C.CF_SCATTER_GATHER // as PushPull; takes a libzmq with the draft API
	RadioDish     Pattern = C.CF_RADIO_DISH     // as PubSub; takes one, too
)

// Mode says how receivers receive. What goes there and back is always Blocking.
type Mode int

// The modes, as zbench and the benchmarks name them.
const (
	Blocking Mode = C.CF_BLOCKING
	Batch    Mode = C.CF_BATCH
	Sleep    Mode = C.CF_SLEEP
	Sleep10  Mode = C.CF_SLEEP10
	Poll     Mode = C.CF_POLL
)

// Config says what a Floor does.
type Config struct {
	Pattern Pattern
	Mode    Mode
	Size    int // of the payload, in bytes; at least 8

	// Senders and Receivers say how many sockets there are; 0: one.
	Senders, Receivers int

	// Window is how many requests each sender has under way; 0: one. Only there and
	// back.
	Window int

	// Samples is how many round trips of each sender can be timed one by one, which
	// Latencies then tells of; 0: none are. Only there and back.
	Samples int

	// Curve encrypts the connections.
	Curve bool

	// InBatch and OutBatch are how many bytes libzmq reads from and writes to a
	// connection at once; 0: its default. Others take a libzmq with the draft API.
	InBatch, OutBatch int

	// HighWater is the high-water mark of all sockets, in messages; 0: none.
	HighWater int

	// Parts is how many parts a payload has; 0: one. Only one way, and not with Lend,
	// ScatterGather and RadioDish.
	Parts int

	// Payload is what messages consist of, again and again; empty: bytes by chance.
	Payload string

	// Senders, receivers and libzmq's own threads run on these processors; none: wherever.
	PinSenders, PinReceivers, PinIO []int

	// Lend makes the sender lend libzmq the memory that a message lies in, out of
	// buffers that come back through a lock-free stack, and the receiver receive
	// into a zmq_msg_t: the zero-copy way of C. Only one way, and Blocking.
	Lend bool

	// Via, if not nil, gets the endpoint of a bound socket and returns the endpoint to
	// connect to, which forwards messages.
	Via func(bound string) (string, error)
}

// ErrIntegrity is what a run fails with when a message was lost, repeated, out of
// order or of the wrong size.
var ErrIntegrity = errors.New("a message was lost, repeated, out of order or of the wrong size; libzmq or the binding is at fault, please report it")

// Floor is connected sockets and the C code that drives them. Stop may be called from
// any goroutine; the other methods from one at a time.
type Floor struct {
	mu sync.Mutex // guards c against Stop
	c  *C.cf_bench
}

// Open makes a context with its sockets and connects them over the endpoint, which may
// have a wildcard port. Where several bind, the further ones are at those of Numbered.
// It does not wait: Ready does. zmq_ctx_new, zmq_socket, zmq_bind, zmq_connect.
func Open(c Config, endpoint string) (*Floor, error) {
	c.Senders, c.Receivers, c.Window, c.Parts = max(c.Senders, 1), max(c.Receivers, 1), max(c.Window, 1), max(c.Parts, 1)
	if err := c.validate(); err != nil {
		return nil, err
	}
	if err := libzmq.Load(); err != nil {
		return nil, err
	}
	config := C.cf_config{
		pattern: C.int(c.Pattern), mode: C.int(c.Mode),
		senders: C.int(c.Senders), receivers: C.int(c.Receivers), window: C.int(c.Window),
		curve: flag(c.Curve), in_batch: C.int(c.InBatch), out_batch: C.int(c.OutBatch),
		lend: flag(c.Lend), hwm: C.int(c.HighWater),
		parts: C.int(c.Parts), size: C.int64_t(c.Size), samples: C.int64_t(c.Samples),
		pin_senders: mask(c.PinSenders), pin_receivers: mask(c.PinReceivers), pin_io: mask(c.PinIO),
	}
	f := &Floor{}
	if rc := C.cf_open((*C.gz_api)(libzmq.API()), &config, &f.c); rc < 0 {
		return nil, failure("open", rc)
	}
	if c.Payload != "" {
		C.cf_fill(f.c, unsafe.Pointer(unsafe.StringData(c.Payload)), C.size_t(len(c.Payload)))
	}
	if err := f.connect(c, endpoint); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// validate looks for what the C side relies on.
func (c Config) validate() error {
	returns := c.Pattern == DealerDealer || c.Pattern == DealerRouter || c.Pattern == ReqRep
	many := c.Pattern == PushPull || c.Pattern == ScatterGather || c.Receivers == 1 && (c.Pattern == DealerRouter || c.Pattern == ReqRep) ||
		c.Senders == 1 && (c.Pattern == PubSub || c.Pattern == RadioDish)
	draft := c.Pattern == ScatterGather || c.Pattern == RadioDish
	switch {
	case c.Lend && (returns || c.Mode != Blocking):
		return errors.New("c floor: lending memory is for messages that go one way, in mode Blocking; choose another pattern or mode")
	case c.Senders > 1 && c.Receivers > 1 || c.Senders+c.Receivers > 2 && !many:
		return fmt.Errorf("c floor: %d senders and %d receivers: this pattern does not have so many; use one of each", c.Senders, c.Receivers)
	case c.Window > 1 && c.Pattern != DealerRouter:
		return fmt.Errorf("c floor: window %d: only pattern DealerRouter has more than one request under way", c.Window)
	case c.Samples > 0 && !returns:
		return errors.New("c floor: only what goes there and back can be timed one by one")
	case c.Parts > 1 && (returns || draft || c.Lend || c.Size/c.Parts < 8):
		return fmt.Errorf("c floor: %d parts of %d bytes: several parts are for messages of a stable pattern that go one way, of copied memory, and have 8 bytes each or more", c.Parts, c.Size)
	case draft && !libzmq.Has("draft"):
		return errors.New("c floor: this pattern takes a libzmq with the draft API")
	case c.Size < 8:
		return fmt.Errorf("c floor: size %d: a message carries 8 bytes; use 8 or more", c.Size)
	}
	return nil
}

func flag(on bool) C.int {
	if on {
		return 1
	}
	return 0
}

// Numbered returns where the i-th socket binds that has an endpoint like this: a
// wildcard port serves all, and another name gets a number.
func Numbered(endpoint string, i int) string {
	if i == 0 || strings.HasSuffix(endpoint, "*") {
		return endpoint
	}
	return fmt.Sprintf("%s%d", endpoint, i)
}

// connect binds all sockets that do, and connects the others to each of them.
func (f *Floor) connect(c Config, endpoint string) error {
	for i := range int(C.cf_binders(f.c)) {
		at, err := f.bind(i, Numbered(endpoint, i))
		if err == nil && c.Via != nil {
			at, err = c.Via(at)
		}
		if err != nil {
			return err
		}
		e := C.CString(at)
		rc := C.cf_connect(f.c, e)
		C.free(unsafe.Pointer(e))
		if rc < 0 {
			return failure(fmt.Sprintf("open %q: connect", at), rc)
		}
	}
	return nil
}

func (f *Floor) bind(i int, endpoint string) (bound string, err error) {
	e := C.CString(endpoint)
	defer C.free(unsafe.Pointer(e))
	var buf [512]C.char
	if rc := C.cf_bind(f.c, C.int(i), e, &buf[0], C.size_t(len(buf))); rc < 0 {
		return "", failure(fmt.Sprintf("open %q: bind", endpoint), rc)
	}
	return C.GoString(&buf[0]), nil
}

// Ready blocks its thread until the sockets have exchanged messages, or Stop.
func (f *Floor) Ready() error { return failure("ready", C.cf_ready(f.c)) }

// Run sends and receives messages, or makes round trips, as many as messages says for all
// senders together. messages must be a multiple of the number of senders and receivers. Run
// returns the time from the start gate to the last received message, and the CPU time of
// the process in that time. It blocks its thread. After an error, only Close may be called.
// zmq_send, zmq_recv.
func (f *Floor) Run(messages int) (elapsed, cpu time.Duration, err error) {
	if rc := C.cf_run(f.c, C.int64_t(messages)); rc < 0 {
		return 0, 0, failure("run", rc)
	}
	return time.Duration(f.c.elapsed_ns), time.Duration(f.c.cpu_ns), nil
}

// Conclude sends one more message from each sender to each receiver, or there and back,
// and returns ErrIntegrity if something of the last Run comes before it. It blocks its
// thread. After an error only Close is left. zmq_send, zmq_recv.
func (f *Floor) Conclude() error { return failure("conclude", C.cf_conclude(f.c)) }

// Latencies appends how long the round trips of the last Run took, those of one sender
// after those of another.
func (f *Floor) Latencies(to []time.Duration) []time.Duration {
	if f.c.samples == nil {
		return to
	}
	for _, p := range unsafe.Slice(f.c.senders, f.c.c.senders) {
		for _, ns := range unsafe.Slice(p.samples, p.messages) {
			to = append(to, time.Duration(ns))
		}
	}
	return to
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
