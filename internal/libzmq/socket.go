package libzmq

/*
#include "shim.h"

#cgo noescape gz_send1
#cgo nocallback gz_send1
#cgo noescape gz_send2
#cgo nocallback gz_send2
#cgo noescape gz_send3
#cgo nocallback gz_send3
#cgo noescape gz_send4
#cgo nocallback gz_send4
#cgo noescape gz_send_list
#cgo nocallback gz_send_list
#cgo noescape gz_send_msgs
#cgo nocallback gz_send_msgs
#cgo noescape gz_send_packed
#cgo nocallback gz_send_packed
#cgo noescape gz_send_batch
#cgo nocallback gz_send_batch
#cgo noescape gz_recv
#cgo nocallback gz_recv
#cgo noescape gz_recv_batch
#cgo nocallback gz_recv_batch
#cgo noescape gz_recv_rest
#cgo nocallback gz_recv_rest
#cgo noescape gz_events
#cgo nocallback gz_events
#cgo noescape gz_set_option
#cgo nocallback gz_set_option
#cgo noescape gz_get_option
#cgo nocallback gz_get_option
*/
import "C"

import (
	"sync"
	"syscall"
	"unsafe"
)

// Socket is libzmq's handle of a socket. Calls on one socket must not overlap.
type Socket = *C.gz_socket

// split returns the two fields of a shim's result: the count or -errno, and the events.
func split(r C.gz_result) (rc, events int) {
	return int(int32(r)), int(uint16(r >> 32))
}

// splitBatch is like split for a batch, and also returns the number of messages.
func splitBatch(r C.gz_result) (rc, events, messages int) {
	return int(int32(r)), int(uint16(r >> 32)), int(uint16(r >> 48))
}

func bytesPointer(p []byte) *C.uint8_t {
	return (*C.uint8_t)(unsafe.SliceData(p))
}

func msgPointer(m []Msg) *C.gz_msg {
	return (*C.gz_msg)(unsafe.Pointer(unsafe.SliceData(m)))
}

// Send sends a message of at least one part in one cgo call, without waiting. It copies
// the parts. It returns 0 or -errno, and the socket's events if the shim has read them.
// If it returns -EAGAIN, nothing was sent.
//
// Implements: zmq_send
func Send(s Socket, parts [][]byte, flags int) (rc, events int) {
	switch len(parts) {
	case 0:
		return -int(syscall.EINVAL), 0
	case 1:
		return Send1(s, parts[0], flags)
	case 2:
		return split(C.gz_send2(s, bytesPointer(parts[0]), C.int64_t(len(parts[0])),
			bytesPointer(parts[1]), C.int64_t(len(parts[1])), C.int(flags)))
	case 3:
		return split(C.gz_send3(s, bytesPointer(parts[0]), C.int64_t(len(parts[0])),
			bytesPointer(parts[1]), C.int64_t(len(parts[1])),
			bytesPointer(parts[2]), C.int64_t(len(parts[2])), C.int(flags)))
	case 4:
		return split(C.gz_send4(s, bytesPointer(parts[0]), C.int64_t(len(parts[0])),
			bytesPointer(parts[1]), C.int64_t(len(parts[1])),
			bytesPointer(parts[2]), C.int64_t(len(parts[2])),
			bytesPointer(parts[3]), C.int64_t(len(parts[3])), C.int(flags)))
	}
	f := flats.Get().(*flat)
	f.bytes, f.lens = f.bytes[:0], f.lens[:0]
	for _, p := range parts {
		f.bytes = append(f.bytes, p...)
		f.lens = append(f.lens, int64(len(p)))
	}
	rc, events = SendList(s, f.bytes, f.lens, nil, flags)
	if cap(f.bytes) > maxFlat {
		f.bytes = nil
	}
	flats.Put(f)
	return rc, events
}

// flat is the memory in which Send concatenates more than four parts.
type flat struct {
	bytes []byte
	lens  []int64
}

var flats = sync.Pool{New: func() any { return new(flat) }}

// maxFlat is the most memory that a flat keeps for the next message.
const maxFlat = 64 << 10

// Send1 is like Send for one part.
func Send1(s Socket, part []byte, flags int) (rc, events int) {
	return split(C.gz_send1(s, bytesPointer(part), C.int64_t(len(part)), C.int(flags)))
}

// SendList sends one message of any number of parts in one cgo call, without waiting.
// lens holds the lengths of the parts, whose bytes are concatenated in flat. A length of
// -1-i stands for msgs[i], and libzmq takes over the content of msgs[i].
func SendList(s Socket, flat []byte, lens []int64, msgs []Msg, flags int) (rc, events int) {
	return split(C.gz_send_list(s, bytesPointer(flat),
		(*C.int64_t)(unsafe.SliceData(lens)), C.int(len(lens)), msgPointer(msgs), C.int(flags)))
}

// SendMsgs sends one message whose parts are msgs, without copying. After success the
// msgs are empty. After -EAGAIN they are unchanged.
//
// Implements: zmq_msg_send
func SendMsgs(s Socket, msgs []Msg, flags int) (rc, events int) {
	return split(C.gz_send_msgs(s, msgPointer(msgs), C.int(len(msgs)), C.int(flags)))
}

// SendBatch sends several messages in order in one cgo call. Message i has the parts
// msgs[starts[i]:starts[i+1]]. rc is the number of messages that were sent or lost, or
// -errno if the first could not be sent. messages is the number that were sent. An error
// after the first message is not returned, because the next call meets it again. If
// EventLost is among the events, the last message counted in rc was lost. SendBatch stops
// after the message with which the given number of bytes is reached.
//
// Implements: zmq_msg_send
func SendBatch(s Socket, msgs []Msg, starts []int32, bytes int, traffic *Traffic, flags int) (rc, events, messages int) {
	return splitBatch(C.gz_send_batch(s, msgPointer(msgs),
		(*C.int32_t)(unsafe.SliceData(starts)), C.int(len(starts)-1), C.int64_t(bytes), traffic.c(), C.int(flags)))
}

// Traffic counts what was sent. The functions that send batches add to it.
type Traffic struct {
	Parts, Bytes int64
	Ended        int64 // messages of an id and an empty part: STREAM disconnects
}

func (t *Traffic) c() *C.gz_traffic { return (*C.gz_traffic)(unsafe.Pointer(t)) }

// SendPacked is like SendBatch for messages that are concatenated in memory in the format
// of Pack, and stops after most messages as well. It also returns the length in memory of the
// messages that were sent or lost.
func SendPacked(s Socket, packed []byte, most, bytes int, traffic *Traffic, flags int) (gone, rc, events, messages int) {
	var length C.int64_t
	rc, events, messages = splitBatch(C.gz_send_packed(s, bytesPointer(packed), C.int64_t(len(packed)),
		C.int(most), C.int64_t(bytes), &length, traffic.c(), C.int(flags)))
	return int(length), rc, events, messages
}

// RecvBatch receives the available messages in one cgo call, without waiting. It stops
// after most messages (at most MaxBatch), when the parts hold the given number of bytes,
// or when msgs[from:] is full. It returns the number of parts or -errno, and the number
// of whole messages. It stores in starts[1:] where in msgs each whole message ends.
// starts may be nil. If More is set on the last part, the caller must take the remaining
// parts with RecvRest before any other operation on the socket. Entries before old may
// hold earlier parts, which are released.
//
// Implements: zmq_msg_recv
func RecvBatch(s Socket, msgs []Msg, from, old int, starts []int32, most, bytes, flags int) (rc, events, messages int) {
	return splitBatch(C.gz_recv_batch(s, msgPointer(msgs), C.int(len(msgs)), C.int(from), C.int(old),
		(*C.int32_t)(unsafe.SliceData(starts)), C.int(most), C.int64_t(bytes), C.int(flags)))
}

// MaxBatch is the largest number of messages per cgo call.
const MaxBatch = 65535

// Recv receives one whole message without waiting: its first part into first, the others
// into rest. It returns the number of parts taken, or -errno. If More is set on the last
// part, rest was too short. The caller must then take the remaining parts with RecvRest
// before any other operation on the socket. Entries of rest before old may hold parts of
// an earlier message, which are released.
//
// Implements: zmq_msg_recv
func Recv(s Socket, first *Msg, rest []Msg, old, flags int) (rc, events int) {
	return split(C.gz_recv(s, (*C.gz_msg)(unsafe.Pointer(first)),
		msgPointer(rest), C.int(len(rest)), C.int(old), C.int(flags)))
}

// RecvRest takes the remaining parts of the message that Recv began, as many as fit. It
// returns their number or -errno.
func RecvRest(s Socket, rest []Msg, flags int) int {
	return int(C.gz_recv_rest(s, msgPointer(rest), C.int(len(rest)), C.int(flags)))
}

// Events makes libzmq process the socket's commands and returns the socket's events.
//
// Implements: zmq_getsockopt(ZMQ_EVENTS)
func Events(s Socket) int {
	_, events := split(C.gz_events(s))
	return events
}

// OpenSocket creates a socket. The second result is 0 or -errno.
//
// Implements: zmq_socket
func OpenSocket(c Context, socketType int) (Socket, int) {
	var s Socket
	rc := int(C.gz_socket_open(unsafe.Pointer(c), C.int(socketType), &s))
	return s, rc
}

// CloseSocket sets the linger period, in milliseconds, and closes the socket without
// waiting. With reports, the socket's monitor reports until libzmq has destroyed the
// socket, and the sink must receive the reports until then. Otherwise CloseSocket stops
// the monitor. It returns 0 or -errno.
//
// Implements: zmq_close
func CloseSocket(s Socket, linger int, reports bool) int {
	return int(C.gz_socket_close(s, C.int(linger), C.bool(reports)))
}

// SetOption sets a socket option. It returns 0 or -errno.
//
// Implements: zmq_setsockopt
func SetOption(s Socket, option int, value []byte) int {
	return int(C.gz_set_option(s, C.int(option), bytesPointer(value), C.int64_t(len(value))))
}

// GetOption copies the value of a socket option into buf. It returns the length of the
// value, or -errno.
//
// Implements: zmq_getsockopt
func GetOption(s Socket, option int, buf []byte) int {
	n := C.int64_t(len(buf))
	if rc := int(C.gz_get_option(s, C.int(option), bytesPointer(buf), &n)); rc < 0 {
		return rc
	}
	return int(n)
}

// GetInt returns the value of a socket option that is a non-negative C int, or -errno.
//
// Implements: zmq_getsockopt
func GetInt(s Socket, option int) int {
	return int(C.gz_get_int(s, C.int(option)))
}

// Bind binds the socket to an endpoint, which must not contain a NUL byte. It returns 0
// or -errno.
//
// Implements: zmq_bind
func Bind(s Socket, endpoint string) int {
	return int(C.gz_bind(s, cText(endpoint)))
}

// Connect connects the socket to an endpoint, which must not contain a NUL byte. It
// returns 0 or -errno.
//
// Implements: zmq_connect
func Connect(s Socket, endpoint string) int {
	return int(C.gz_connect(s, cText(endpoint)))
}

// Unbind unbinds the socket from an endpoint. It returns 0 or -errno.
//
// Implements: zmq_unbind
func Unbind(s Socket, endpoint string) int {
	return int(C.gz_unbind(s, cText(endpoint)))
}

// Disconnect disconnects the socket from an endpoint. It returns 0 or -errno.
//
// Implements: zmq_disconnect
func Disconnect(s Socket, endpoint string) int {
	return int(C.gz_disconnect(s, cText(endpoint)))
}

// Dup duplicates a file descriptor and sets close-on-exec. It returns the new descriptor
// or -errno.
func Dup(fd int) int { return int(C.gz_dup(C.gz_fd(fd))) }

// Readable reports whether a file descriptor is readable now.
func Readable(fd int) bool { return C.gz_readable(C.gz_fd(fd)) != 0 }
