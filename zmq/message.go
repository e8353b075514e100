package zmq

import (
	"strings"
	"syscall"
	"unsafe"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Message is one part of a message, in libzmq's memory. The zero value is an
// empty part, ready for RecvMessage. A Message may be used by one goroutine at a
// time, and must not be copied. It holds native memory: Close it, send it, or
// receive into it again.
type Message struct {
	_   noCopy
	msg libzmq.Msg
}

// usable says what is wrong with a Message that is to be worked with.
func (m *Message) usable(op string) error {
	switch {
	case m == nil:
		return &Error{Op: op, Errno: syscall.EINVAL, Detail: "the Message is nil; declare one (var m zmq.Message) and pass its address"}
	case m.msg.Idle():
		return &Error{Op: op, Errno: syscall.EINVAL, Detail: "the Message was given back to its pool with Put" + core.WherePut(&m.msg) + "; Get another"}
	}
	return nil
}

// noCopy makes go vet report copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// NewMessage returns a part of size bytes in native memory, to be filled through
// Bytes. Its content is not cleared. zmq_msg_init_size.
func NewMessage(size int) (*Message, error) {
	m := new(Message)
	if err := m.Alloc(size); err != nil {
		return nil, err
	}
	return m, nil
}

// NewMessageBytes returns a part with a copy of p. zmq_msg_init_size.
func NewMessageBytes(p []byte) (*Message, error) {
	m, err := NewMessage(len(p))
	if err != nil {
		return nil, err
	}
	copy(m.Bytes(), p)
	return m, nil
}

// NewMessageZeroCopy returns a part whose content is p itself: nothing is copied.
// p is pinned, and must not be written, until release is called; over inproc the
// receiver's Message is that memory. release may be nil.
//
// release is called exactly once, on a goroutine of this package's own: after
// libzmq has sent or dropped the part, after the part was closed unsent, or, over
// inproc, after the receiver has closed it; in any case also when peers vanish and
// when the context is closed. The release functions of all messages are called one
// after the other, so one that waits delays the rest.
//
// STREAM sockets and sockets with Conflate can lose what they are lent: sending by
// them copies the part and releases p at once, and so does sending by any socket of
// a context in which one with Conflate uses inproc. Lending memory pays off for
// parts of some tens of kilobytes and more; for shorter ones a copy is cheaper. It
// fails with EMFILE when the first call finds no file descriptors left. Then, as
// after any error, release is not called.
// zmq_msg_init_data.
func NewMessageZeroCopy(p []byte, release func()) (*Message, error) {
	if err := libzmq.Load(); err != nil {
		return nil, &Error{Op: "message", Errno: syscall.ENOENT, Detail: err.Error(), cause: err}
	}
	m := new(Message)
	if err := core.LendBytes(&m.msg, p, release); err != nil {
		return nil, wrapError("message", "", "", err)
	}
	return m, nil
}

// Alloc gives m a new content of size bytes in native memory, to be filled through
// Bytes, and releases what it held. The content is not cleared. With it a Message
// is used again without allocating on Go's heap. When there is no memory m is empty;
// after other errors, such as EINVAL for a size below zero, it is as it was.
// zmq_msg_init_size.
func (m *Message) Alloc(size int) error {
	if err := m.usable("message"); err != nil {
		return err
	}
	if size < 0 {
		return errNegativeSize
	}
	if err := libzmq.Load(); err != nil {
		return &Error{Op: "message", Errno: syscall.ENOENT, Detail: err.Error(), cause: err}
	}
	if rc := m.msg.Alloc(size); rc < 0 {
		return &Error{Op: "message", Errno: syscall.Errno(-rc), Detail: "no memory for a part of this size"}
	}
	return nil
}

var errNegativeSize = &Error{Op: "message", Errno: syscall.EINVAL, Detail: "a size below zero"}

// Bytes returns the content, without copying it: valid until m is closed, received
// into, or given to a send. A send that fails leaves m its content, but perhaps
// elsewhere: call Bytes again. Content that is shared with another Message (see Clone) must not
// be written. zmq_msg_data.
func (m *Message) Bytes() []byte {
	if m == nil {
		return nil
	}
	m.reportIfPut()
	return m.msg.Bytes()
}

// reportIfPut lets a pool in debug mode report a message that is in it.
func (m *Message) reportIfPut() {
	if m.msg.Len() == 0 && m.msg.Idle() {
		core.WherePut(&m.msg)
	}
}

// Len returns the size of the content in bytes. zmq_msg_size.
func (m *Message) Len() int {
	if m == nil {
		return 0
	}
	return m.msg.Len()
}

// More reports whether the part, when it was received, had a successor in the
// same message. zmq_msg_more.
func (m *Message) More() bool { return m != nil && m.msg.More() }

// Clone returns a second Message with the same content, shared by counting
// references: neither may be written any more. Each is closed or sent for itself.
// zmq_msg_copy.
func (m *Message) Clone() (*Message, error) {
	if err := m.usable("clone"); err != nil {
		return nil, err
	}
	c := new(Message)
	if !m.msg.Holds() {
		return c, nil
	}
	// A pool's message, or a batch's, may be older than the first context.
	if err := libzmq.Load(); err != nil {
		return nil, &Error{Op: "clone", Errno: syscall.ENOENT, Detail: err.Error(), cause: err}
	}
	if rc := m.msg.Clone(&c.msg); rc < 0 {
		return nil, wrapError("clone", "", "", syscall.Errno(-rc))
	}
	return c, nil
}

// Property returns a property of a received part: "Socket-Type", "Routing-Id",
// "Peer-Address", "User-Id", or what the peer or a ZAP handler added. It fails
// with EINVAL when the part does not have it. zmq_msg_gets.
func (m *Message) Property(name string) (string, error) {
	if err := m.usable("property"); err != nil {
		return "", err
	}
	if strings.IndexByte(name, 0) >= 0 {
		return "", &Error{Op: "property", Errno: syscall.EINVAL, Detail: "the name contains a NUL byte"}
	}
	buf := make([]byte, 256)
	n := -int(syscall.EINVAL)
	if m.msg.Live() {
		n = m.msg.Property(name, buf)
	}
	if n > len(buf) {
		buf = make([]byte, n)
		n = m.msg.Property(name, buf)
	}
	if n < 0 {
		return "", &Error{Op: "property", Errno: syscall.Errno(-n), Detail: "the message has no property " + name}
	}
	return string(buf[:n]), nil
}

// Close releases the content. m is empty afterwards and may be used again.
// Further calls do nothing. zmq_msg_close.
func (m *Message) Close() error {
	if m != nil {
		m.reportIfPut()
		m.msg.Close()
	}
	return nil
}

// Multipart is a message of one or more parts.
type Multipart []Message

// Bytes returns copies of the parts.
func (p Multipart) Bytes() [][]byte {
	parts := make([][]byte, len(p))
	for i := range p {
		parts[i] = append([]byte{}, p[i].Bytes()...)
	}
	return parts
}

// Close releases the content of all parts, in one crossing. The slice may be used
// again. zmq_msg_close.
func (p Multipart) Close() error {
	libzmq.CloseMsgs(p.msgs())
	return nil
}

// A Message is a libzmq.Msg with a mark for go vet, so a slice of one is a slice
// of the other.
var _ [unsafe.Sizeof(libzmq.Msg{}) - unsafe.Sizeof(Message{})]struct{}

func (p Multipart) msgs() []libzmq.Msg {
	return unsafe.Slice((*libzmq.Msg)(unsafe.Pointer(unsafe.SliceData(p))), cap(p))[:len(p)]
}

func multipartOf(msgs []libzmq.Msg) Multipart {
	return unsafe.Slice((*Message)(unsafe.Pointer(unsafe.SliceData(msgs))), cap(msgs))[:len(msgs)]
}

// stringBytes returns the bytes of s without copying them. They are only read.
func stringBytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
