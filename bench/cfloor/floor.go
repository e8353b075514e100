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

// Pattern is a pair of socket types and the way in which messages go.
type Pattern int

// The patterns. There are many senders or many receivers, but never both. A round trip is a
// message and its reply.
const (
	RouterRouter Pattern = C.CF_ROUTER_ROUTER // one way, one sender, one receiver
	PushPull     Pattern = C.CF_PUSH_PULL     // one way, many senders or many receivers; each message goes to one receiver
	DealerDealer Pattern = C.CF_DEALER_DEALER // round trips, one sender, one receiver
	PubSub       Pattern = C.CF_PUB_SUB       // one way, many receivers; each message goes to all of them
	DealerRouter Pattern = C.CF_DEALER_ROUTER // round trips, many senders
	ReqRep       Pattern = C.CF_REQ_REP       // round trips, many senders
	Pair         Pattern = C.CF_PAIR          // one way, one sender, one receiver

	ScatterGather Pattern = C.CF_SCATTER_GATHER // like PushPull; needs the draft API
	RadioDish     Pattern = C.CF_RADIO_DISH     // like PubSub; needs the draft API
)

// Mode is the way in which receivers receive. Round trips are always Blocking.
type Mode int

// The modes, as zbench and the benchmarks name them.
const (
	Blocking Mode = C.CF_BLOCKING
	Batch    Mode = C.CF_BATCH
	Sleep    Mode = C.CF_SLEEP
	Sleep10  Mode = C.CF_SLEEP10
	Poll     Mode = C.CF_POLL
)

// Config describes a workload.
type Config struct {
	Pattern Pattern
	Mode    Mode
	Size    int // of the payload, in bytes; at least 8

	// Senders and Receivers are the numbers of sockets; 0: one.
	Senders, Receivers int

	// Window is the number of requests that each sender has in flight; 0: one. Only for
	// DealerRouter.
	Window int

	// Samples is the largest number of round trips of each sender whose times Latencies
	// returns; 0: none. Only for round trips.
	Samples int

	// Curve encrypts the connections.
	Curve bool

	// InBatch and OutBatch are the numbers of bytes that libzmq reads from and writes to
	// a connection at once; 0: its default. Other values need the draft API.
	InBatch, OutBatch int

	// HighWater is the high-water mark of all sockets, in messages; 0: no limit.
	HighWater int

	// Parts is the number of parts of a payload; 0: one. Only one way, and not with Lend,
	// ScatterGather or RadioDish.
	Parts int

	// Payload is repeated to fill each message; empty: pseudo-random bytes.
	Payload string

	// The processors for senders, receivers and libzmq's own threads; none: any.
	PinSenders, PinReceivers, PinIO []int

	// Lend makes the sender pass its buffers to libzmq without copying, and the receiver
	// receive into a zmq_msg_t. The buffers come back through a lock-free stack. Only one
	// way and Blocking.
	Lend bool

	// Via, if not nil, returns the endpoint to connect to for that of a bound socket. It
	// forwards messages there.
	Via func(bound string) (string, error)
}

// ErrIntegrity is the error of a run in which a message was lost, repeated, out of order or
// of the wrong size.
var ErrIntegrity = errors.New("a message was lost, repeated, out of order or of the wrong size; libzmq or the binding is at fault, please report it")

// Floor is a workload with its connected sockets. Any goroutine may call Stop. The other
// methods are for one goroutine at a time.
type Floor struct {
	mu sync.Mutex // guards c against Stop
	c  *C.cf_bench
}

// Open creates a context with its sockets and connects them over the endpoint, which may
// have a wildcard port. If several sockets bind, Numbered gives their endpoints. Open does
// not wait for the connections: Ready does.
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

// rules are the properties of a pattern that limit a Config.
type rules struct{ returns, senders, receivers, draft bool }

var rulesOf = map[Pattern]rules{
	RouterRouter:  {},
	Pair:          {},
	PushPull:      {senders: true, receivers: true},
	ScatterGather: {senders: true, receivers: true, draft: true},
	PubSub:        {receivers: true},
	RadioDish:     {receivers: true, draft: true},
	DealerDealer:  {returns: true},
	DealerRouter:  {returns: true, senders: true},
	ReqRep:        {returns: true, senders: true},
}

// validate returns an error for what the C side cannot do.
func (c Config) validate() error {
	r := rulesOf[c.Pattern]
	senders, receivers := c.Senders > 1, c.Receivers > 1
	switch {
	case c.Lend && (r.returns || c.Mode != Blocking):
		return errors.New("c baseline: Lend is for messages that go one way, in mode Blocking; choose another pattern or mode")
	case senders && receivers, senders && !r.senders, receivers && !r.receivers:
		return fmt.Errorf("c baseline: %d senders and %d receivers: the pattern does not allow so many; use one of each", c.Senders, c.Receivers)
	case c.Window > 1 && c.Pattern != DealerRouter:
		return fmt.Errorf("c baseline: window %d: only pattern DealerRouter has more than one request in flight", c.Window)
	case c.Samples > 0 && !r.returns:
		return errors.New("c baseline: only round trips can be timed individually")
	case r.draft && !libzmq.Has("draft"):
		return errors.New("c baseline: the pattern needs a libzmq with the draft API")
	case c.Size < 8:
		return fmt.Errorf("c baseline: size %d: a message has a number of 8 bytes; use 8 or more", c.Size)
	}
	return c.validateParts(r)
}

func (c Config) validateParts(r rules) error {
	if c.Parts > 1 && (r.returns || r.draft || c.Lend || c.Size/c.Parts < 8) {
		return fmt.Errorf("c baseline: %d parts in %d bytes: several parts need a stable pattern that goes one way, no Lend, and 8 bytes or more in each part", c.Parts, c.Size)
	}
	return nil
}

func flag(on bool) C.int {
	if on {
		return 1
	}
	return 0
}

// Numbered returns the endpoint that socket i binds. All sockets can bind a wildcard port.
// Other endpoints get a number, except that of the first socket.
func Numbered(endpoint string, i int) string {
	if i == 0 || strings.HasSuffix(endpoint, "*") {
		return endpoint
	}
	return fmt.Sprintf("%s%d", endpoint, i)
}

// connect binds the sockets of one side, and connects the others to each of them.
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

// Ready blocks its thread until the sockets have exchanged messages, or until Stop.
func (f *Floor) Ready() error { return failure("ready", C.cf_ready(f.c)) }

// Run sends and receives the given number of messages, or makes so many round trips. The
// number is for all senders together, and a multiple of the numbers of senders and
// receivers. Run returns the time from the start of all threads to the last received
// message, and the processor time of the process in that time. It blocks its thread. After
// an error, only Close may be called.
func (f *Floor) Run(messages int) (elapsed, cpu time.Duration, err error) {
	if rc := C.cf_run(f.c, C.int64_t(messages)); rc < 0 {
		return 0, 0, failure("run", rc)
	}
	return time.Duration(f.c.elapsed_ns), time.Duration(f.c.cpu_ns), nil
}

// Conclude sends one more message from each sender to each receiver, or makes one more
// round trip. It returns ErrIntegrity if a message of the last Run comes before it. It
// blocks its thread. After an error, only Close may be called.
func (f *Floor) Conclude() error { return failure("conclude", C.cf_conclude(f.c)) }

// Latencies appends the times of the round trips of the last Run, grouped by sender.
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

// Stop makes a Ready or Run in progress fail. It does not wait.
func (f *Floor) Stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.c != nil {
		C.cf_stop(f.c)
	}
}

// Close closes the sockets and frees the context. It drops messages that were not received.
// Further calls do nothing.
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
		return fmt.Errorf("c baseline: %s: stopped: %w", what, errno)
	}
	if text := libzmq.ErrnoText(int(errno)); text != "" {
		return fmt.Errorf("c baseline: %s: %s", what, text)
	}
	return fmt.Errorf("c baseline: %s: %w", what, errno)
}
