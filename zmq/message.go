package zmq

import (
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/lending"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Message may be used by one goroutine at a time, and must not be copied. It holds one
// part of a message in libzmq's memory. The zero value is an empty part, ready for
// RecvMessage. A Message holds native memory, so the caller must close it, send it or
// receive into it again.
type Message struct {
	_ noCopy
	msg
}

type msg = core.Inside[libzmq.Msg]

// usable returns an error if m cannot be used.
func (m *Message) usable(op string) error {
	switch {
	case m == nil:
		return &Error{Op: op, Errno: syscall.EINVAL, Detail: "the Message is nil; declare one (var m zmq.Message) and pass its address"}
	case m.msg[0].Idle():
		return &Error{Op: op, Errno: syscall.EINVAL, Detail: "the Message was returned to its pool with Put" + core.WherePut(&m.msg[0]) + "; Get another one"}
	}
	return nil
}

// String describes the part for logs: its size and the beginning of its content, such as
// `5 bytes "hello"`.
func (m *Message) String() string {
	if m == nil {
		return "nil message"
	}
	content := m.Bytes()
	unit := " bytes "
	if len(content) == 1 {
		unit = " byte "
	}
	text := strconv.Itoa(len(content)) + unit + strconv.QuoteToASCII(string(content[:min(len(content), maxShown)]))
	if len(content) > maxShown {
		text += "..."
	}
	return text
}

// maxShown is the number of bytes of a part that String shows.
const maxShown = 16

// noCopy makes go vet report copies of a Message.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// NewMessage returns a part of size bytes in native memory, to be filled through Bytes.
// Its content is not cleared. A negative size returns EINVAL, and exhausted memory
// returns ENOMEM.
//
// Implements: zmq_msg_init_size.
func NewMessage(size int) (*Message, error) {
	m := new(Message)
	if err := m.Alloc(size); err != nil {
		return nil, err
	}
	return m, nil
}

// NewMessageBytes returns a part that holds a copy of p.
//
// Implements: zmq_msg_init_size.
func NewMessageBytes(p []byte) (*Message, error) {
	m, err := NewMessage(len(p))
	if err != nil {
		return nil, err
	}
	copy(m.Bytes(), p)
	return m, nil
}

// NewMessageZeroCopy returns a part whose content is p itself. p is pinned and must not
// be modified until release is called; over inproc, the receiver's Message shares that
// memory. release may be nil.
//
// release is called exactly once, even if the peer disconnects or the context is closed.
// It is called after libzmq has sent or dropped the part, or after an unsent part was
// closed. Over inproc it is called after the receiver has closed the part. A socket that
// copied a small part to the caller, as Recv does, closes it in a later receive. All release
// functions run one after the other in a goroutine of this package, so a slow one delays
// the others. A panic in release ends the process, as it does in any goroutine.
//
// STREAM sockets, sockets with Conflate and those that have connected over ws or wss copy
// the part and release p at once. If a socket with Conflate uses inproc, all sockets of
// its context copy parts in this way. For parts smaller than a few tens of kilobytes, a
// copy is cheaper. The error is EMFILE if the first call finds no file descriptors left.
// After an error, release is not called.
//
// Implements: zmq_msg_init_data.
func NewMessageZeroCopy(p []byte, release func()) (*Message, error) {
	if err := libzmq.Load(); err != nil {
		return nil, notLoaded("message", err)
	}
	m := new(Message)
	if err := lending.Lend(&m.msg[0], p, release); err != nil {
		return nil, wrapError("message", "", "", err)
	}
	return m, nil
}

// Alloc releases the content of m and gives it new content of size bytes in native
// memory, to be filled through Bytes. The content is not cleared. Alloc does not allocate
// on the Go heap, so a Message can be reused. If memory is exhausted, the error is ENOMEM
// and m is empty. After any other error, such as EINVAL for a negative size, m is
// unchanged.
//
// Implements: zmq_msg_init_size.
func (m *Message) Alloc(size int) error {
	if err := m.usable("message"); err != nil {
		return err
	}
	if size < 0 {
		return errNegativeSize
	}
	if err := libzmq.Load(); err != nil {
		return notLoaded("message", err)
	}
	if rc := m.msg[0].Alloc(size); rc < 0 {
		return &Error{Op: "message", Errno: syscall.Errno(-rc), Detail: "there is not enough memory for a part of this size"}
	}
	return nil
}

var errNegativeSize = &Error{Op: "message", Errno: syscall.EINVAL, Detail: "the size is negative; it must be 0 or more"}

// Bytes returns the content without copying it. The slice is valid until m is closed,
// sent or received into. After a send that failed, call Bytes again: the content may have
// moved. Content that is shared with another Message (see Clone) must not be modified.
//
// Implements: zmq_msg_data.
func (m *Message) Bytes() []byte {
	if m == nil {
		return nil
	}
	m.reportIfPut()
	return m.msg[0].Bytes()
}

// reportIfPut lets a pool in debug mode report the use of a message that was put back.
func (m *Message) reportIfPut() {
	if m.msg[0].Len() == 0 && m.msg[0].Idle() {
		core.WherePut(&m.msg[0])
	}
}

// Len returns the size of the content in bytes.
//
// Implements: zmq_msg_size.
func (m *Message) Len() int {
	if m == nil {
		return 0
	}
	return m.msg[0].Len()
}

// More reports whether another part of the same message followed when this part was
// received.
//
// Implements: zmq_msg_more.
func (m *Message) More() bool { return m != nil && m.msg[0].More() }

// Clone returns a second Message with the same content, for which libzmq keeps a
// reference count. The content of neither Message may be modified afterwards. Each must
// be closed or sent.
//
// Implements: zmq_msg_copy.
func (m *Message) Clone() (*Message, error) {
	if err := m.usable("clone"); err != nil {
		return nil, err
	}
	c := new(Message)
	if !m.msg[0].Holds() {
		return c, nil
	}
	// A message of a pool or a batch may be older than the first context.
	if err := libzmq.Load(); err != nil {
		return nil, notLoaded("clone", err)
	}
	if rc := m.msg[0].Clone(&c.msg[0]); rc < 0 {
		return nil, wrapError("clone", "", "", syscall.Errno(-rc))
	}
	return c, nil
}

// Property returns a property of a received part: "Socket-Type", "Routing-Id",
// "Peer-Address", "User-Id", or one that the peer or a ZAP handler added. The error is
// EINVAL if the part does not have the property. A part loses its properties if a socket
// that copies it (see NewMessageZeroCopy) fails to send it.
//
// Implements: zmq_msg_gets.
func (m *Message) Property(name string) (string, error) {
	if err := m.usable("property"); err != nil {
		return "", err
	}
	if strings.IndexByte(name, 0) >= 0 {
		return "", &Error{Op: "property", Errno: syscall.EINVAL, Detail: "the name of the property contains a NUL byte"}
	}
	buf := make([]byte, 256)
	n := -int(syscall.EINVAL)
	if m.msg[0].Live() {
		n = m.msg[0].Property(name, buf)
	}
	if n > len(buf) {
		buf = make([]byte, n)
		n = m.msg[0].Property(name, buf)
	}
	if n < 0 {
		return "", &Error{Op: "property", Errno: syscall.Errno(-n), Detail: "the part has no property " + name}
	}
	return string(buf[:n]), nil
}

// Close releases the content. m is empty afterwards and may be used again. Further calls
// do nothing.
//
// Implements: zmq_msg_close.
func (m *Message) Close() error {
	if m != nil {
		m.reportIfPut()
		m.msg[0].Close()
	}
	return nil
}

// Multipart may be used by one goroutine at a time. It is a message of one or more parts,
// which hold native memory. The caller must close or send it, unless it comes from
// Messages, Batch.At or Batch.All.
type Multipart []Message

// Bytes returns copies of the parts.
func (p Multipart) Bytes() [][]byte {
	parts := make([][]byte, len(p))
	for i := range p {
		parts[i] = append([]byte{}, p[i].Bytes()...)
	}
	return parts
}

// Close releases the content of all parts in one call into C. The slice may be used
// again.
//
// Implements: zmq_msg_close.
func (p Multipart) Close() error {
	libzmq.CloseMsgs(p.msgs())
	return nil
}

// A Message is a libzmq.Msg with a field for go vet, so a slice of one can be used as a
// slice of the other.
var _ [unsafe.Sizeof(libzmq.Msg{}) - unsafe.Sizeof(Message{})]struct{}

func (p Multipart) msgs() []libzmq.Msg {
	return unsafe.Slice((*libzmq.Msg)(unsafe.Pointer(unsafe.SliceData(p))), cap(p))[:len(p)]
}

func multipartOf(msgs []libzmq.Msg) Multipart {
	return unsafe.Slice((*Message)(unsafe.Pointer(unsafe.SliceData(msgs))), cap(msgs))[:len(msgs)]
}

// stringBytes returns the bytes of s without copying them. They are only read.
func stringBytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// bytesString returns a string that shares the memory of p, which must not change.
func bytesString(p []byte) string { return unsafe.String(unsafe.SliceData(p), len(p)) }
