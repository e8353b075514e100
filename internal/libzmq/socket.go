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
#cgo noescape gz_send_with_prefix
#cgo nocallback gz_send_with_prefix
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
	"syscall"
	"unsafe"
)

// Socket is libzmq's handle of a socket. Calls on one socket must not overlap.
type Socket = *C.gz_socket

// split takes a shim's result apart: the count or -errno, and the events.
func split(r C.gz_result) (rc, events int) {
	return int(int32(r)), int(uint16(r >> 32))
}

// splitBatch is split for a batch, with the number of messages.
func splitBatch(r C.gz_result) (rc, events, messages int) {
	return int(int32(r)), int(uint16(r >> 32)), int(uint16(r >> 48))
}

func bytesPointer(p []byte) *C.uint8_t {
	return (*C.uint8_t)(unsafe.SliceData(p))
}

func msgPointer(m []Msg) *C.gz_msg {
	return (*C.gz_msg)(unsafe.Pointer(unsafe.SliceData(m)))
}

// Send sends a message of one to four parts in one crossing, without waiting.
// It returns 0 or -errno, and the socket's events where they were read. On
// -EAGAIN nothing was sent. Memory is copied: zmq_send.
func Send(s Socket, parts [][]byte, flags int) (rc, events int) {
	switch len(parts) {
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
	return -int(syscall.EINVAL), 0
}

// MaxFixed is the number of parts up to which Send takes them as they are.
const MaxFixed = 4

// Send1 is Send for one part.
func Send1(s Socket, part []byte, flags int) (rc, events int) {
	return split(C.gz_send1(s, bytesPointer(part), C.int64_t(len(part)), C.int(flags)))
}

// SendList sends one message of any number of parts: lens are the lengths of
// the parts that lie one after the other in flat; a length of -1-i stands for
// msgs[i], whose content libzmq takes over. One crossing; no waiting.
func SendList(s Socket, flat []byte, lens []int64, msgs []Msg, flags int) (rc, events int) {
	return split(C.gz_send_list(s, bytesPointer(flat),
		(*C.int64_t)(unsafe.SliceData(lens)), C.int(len(lens)), msgPointer(msgs), C.int(flags)))
}

// SendMsgs sends one message whose parts are msgs, without copying: on success
// they are empty afterwards, on -EAGAIN untouched. zmq_msg_send.
func SendMsgs(s Socket, msgs []Msg, flags int) (rc, events int) {
	return split(C.gz_send_msgs(s, msgPointer(msgs), C.int(len(msgs)), C.int(flags)))
}

// SendWithPrefix sends a message of two parts: bytes, which are copied, and m, which is
// not. Otherwise it is as SendMsgs.
func SendWithPrefix(s Socket, first []byte, m *Msg, flags int) (rc, events int) {
	return split(C.gz_send_with_prefix(s, bytesPointer(first), C.int64_t(len(first)), m.c(), C.int(flags)))
}

// SendBatch sends messages one after the other in one crossing: message i has the
// parts msgs[starts[i]:starts[i+1]]. It returns the number of messages that are gone
// and of those sent, or -errno if the first could not be sent. What stopped it after
// that stops the next call as well. When EventLost is among the events, the last
// message that is gone was not sent but lost. zmq_msg_send.
func SendBatch(s Socket, msgs []Msg, starts []int32, traffic *Traffic, flags int) (rc, events, messages int) {
	return splitBatch(C.gz_send_batch(s, msgPointer(msgs),
		(*C.int32_t)(unsafe.SliceData(starts)), C.int(len(starts)-1), traffic.c(), C.int(flags)))
}

// Traffic is what was sent, to which the calls that send batches add.
type Traffic struct {
	Parts, Bytes int64
	Ended        int64 // messages of an id and an empty part, which end a STREAM's connection
}

func (t *Traffic) c() *C.gz_traffic { return (*C.gz_traffic)(unsafe.Pointer(t)) }

// SendPacked is SendBatch for messages that lie in memory one after the other, as
// Pack lays them, and also returns the number of bytes of those that are gone.
func SendPacked(s Socket, packed []byte, traffic *Traffic, flags int) (gone, rc, events, messages int) {
	var bytes C.int64_t
	rc, events, messages = splitBatch(C.gz_send_packed(s, bytesPointer(packed), C.int64_t(len(packed)), &bytes, traffic.c(), C.int(flags)))
	return int(bytes), rc, events, messages
}

// RecvBatch receives up to most messages, at most MaxBatch, in one crossing and without
// waiting: all that are there, until they have bytes, while their parts fit into msgs[from:]. It
// returns the number of parts or -errno, and of whole messages, and notes in
// starts[1:] where in msgs each of these ends; starts may be nil. When the last part
// has More set, RecvRest takes what remains, before anything else is done to the
// socket. Entries before old may hold earlier parts, which are released.
// zmq_msg_recv.
func RecvBatch(s Socket, msgs []Msg, from, old int, starts []int32, most, bytes, flags int) (rc, events, messages int) {
	return splitBatch(C.gz_recv_batch(s, msgPointer(msgs), C.int(len(msgs)), C.int(from), C.int(old),
		(*C.int32_t)(unsafe.SliceData(starts)), C.int(most), C.int64_t(bytes), C.int(flags)))
}

// MaxBatch is the largest number of messages of one crossing.
const MaxBatch = 65535

// Recv receives one whole message without waiting: its first part into first,
// the others into rest[:]. It returns the number of parts taken, or -errno. When
// the last part taken has More set, rest was too short: RecvRest takes what
// remains, before anything else is done to the socket. Entries of rest before
// old may hold parts of an earlier message, which are released. zmq_msg_recv.
func Recv(s Socket, first *Msg, rest []Msg, old, flags int) (rc, events int) {
	return split(C.gz_recv(s, (*C.gz_msg)(unsafe.Pointer(first)),
		msgPointer(rest), C.int(len(rest)), C.int(old), C.int(flags)))
}

// RecvRest takes the remaining parts of the message that Recv began, as many as
// fit, and returns their number or -errno.
func RecvRest(s Socket, rest []Msg, flags int) int {
	return int(C.gz_recv_rest(s, msgPointer(rest), C.int(len(rest)), C.int(flags)))
}

// Events makes libzmq process the socket's commands and returns its events:
// ZMQ_EVENTS.
func Events(s Socket) int {
	_, events := split(C.gz_events(s))
	return events
}

// OpenSocket makes a socket: zmq_socket. 0 or -errno.
func OpenSocket(c Context, socketType int) (Socket, int) {
	var s Socket
	rc := int(C.gz_socket_open(unsafe.Pointer(c), C.int(socketType), &s))
	return s, rc
}

// CloseSocket stops the socket's monitor, sets its linger period in
// milliseconds if setLinger, and closes it: zmq_close. It does not wait.
func CloseSocket(s Socket, linger int, setLinger bool) int {
	return closeSocket(s, linger, setLinger, 0)
}

// CloseReporting is CloseSocket, except that the monitor goes on until libzmq has
// destroyed the socket. The sink must take its reports until then.
func CloseReporting(s Socket, linger int, setLinger bool) int {
	return closeSocket(s, linger, setLinger, 1)
}

func closeSocket(s Socket, linger int, setLinger bool, reports C.int) int {
	set := C.int(0)
	if setLinger {
		set = 1
	}
	return int(C.gz_socket_close(s, C.int(linger), set, reports))
}

// SetOption is zmq_setsockopt. 0 or -errno.
func SetOption(s Socket, option int, value []byte) int {
	return int(C.gz_set_option(s, C.int(option), bytesPointer(value), C.int64_t(len(value))))
}

// GetOption is zmq_getsockopt: it fills buf and returns the length of the value,
// or -errno.
func GetOption(s Socket, option int, buf []byte) int {
	n := C.int64_t(len(buf))
	if rc := int(C.gz_get_option(s, C.int(option), bytesPointer(buf), &n)); rc < 0 {
		return rc
	}
	return int(n)
}

// GetInt is zmq_getsockopt for an option that is a non-negative C int; -errno
// otherwise.
func GetInt(s Socket, option int) int {
	return int(C.gz_get_int(s, C.int(option)))
}

// Bind is zmq_bind. The endpoint must not contain a NUL byte.
func Bind(s Socket, endpoint string) int {
	return int(C.gz_bind(s, cText(endpoint)))
}

// Connect is zmq_connect.
func Connect(s Socket, endpoint string) int {
	return int(C.gz_connect(s, cText(endpoint)))
}

// Unbind is zmq_unbind.
func Unbind(s Socket, endpoint string) int {
	return int(C.gz_unbind(s, cText(endpoint)))
}

// Disconnect is zmq_disconnect.
func Disconnect(s Socket, endpoint string) int {
	return int(C.gz_disconnect(s, cText(endpoint)))
}

// Dup duplicates a file descriptor with close-on-exec set. -errno on failure.
func Dup(fd int) int { return int(C.gz_dup(C.int(fd))) }

// Readable reports whether a file descriptor is readable at this moment.
func Readable(fd int) bool { return C.gz_readable(C.int(fd)) != 0 }
