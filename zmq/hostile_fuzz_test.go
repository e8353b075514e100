package zmq_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// How a hostile peer begins, and how it goes on.
const (
	rawBytes      = iota // no greeting
	greetingBytes        // a greeting of ZMTP 3.x
	greetingFrames
	handshakeBytes // what the mechanism wants, too
	handshakeFrames
	zmtp2Bytes
	zmtp1Bytes
	shapes

	staysOpen = 0x80 // it does not end the connection before the honest peer is served
)

// maxHostile keeps the input below what a socket's queue takes in frames of two bytes:
// beyond that it stops reading, and the end of the connection is not seen.
const maxHostile = 1500

// frames makes each of its input's records a frame: flags, a length, a body.
func frames(data []byte) (all []byte) {
	for len(data) >= 2 {
		n := min(int(data[1]), len(data)-2)
		all = append(all, zmqtest.Frame(data[0], data[2:2+n])...)
		data = data[2+n:]
	}
	return all
}

// records is the opposite of frames, for seeds.
func records(frames ...string) (data []byte) {
	for _, f := range frames {
		data = append(append(data, f[0], byte(len(f)-1)), f[1:]...)
	}
	return data
}

// hostile writes what one peer has to say. Errors are the victim's right: it may have
// ended the connection.
func hostile(conn *net.TCPConn, mechanism string, peer zmq.SocketType, shape uint8, data []byte) {
	data = data[:min(len(data), maxHostile)]
	shape &^= staysOpen
	var out []byte
	switch shape % shapes {
	case greetingBytes, greetingFrames:
		out = zmqtest.Greeting(byte(len(data)&1), mechanism, 0)
	case handshakeBytes, handshakeFrames:
		out = zmqtest.Greeting(1, mechanism, 0)
		metadata := zmqtest.Property("Socket-Type", peer.String()) + zmqtest.Property("Identity", "")
		switch mechanism {
		case "NULL":
			_, _ = conn.Write(append(out, zmqtest.Command("READY", metadata)...))
			zmqtest.AwaitCommand(conn, true)
			out = nil
		case "PLAIN":
			_, _ = conn.Write(append(out, zmqtest.Command("HELLO", string(rune(len(sceneUser)))+sceneUser+string(rune(len(scenePassword)))+scenePassword)...))
			zmqtest.AwaitCommand(conn, true)
			_, _ = conn.Write(zmqtest.Command("INITIATE", metadata))
			zmqtest.AwaitCommand(conn, false)
			out = nil
		default:
			// The rest takes cryptography.
			out = append(out, zmqtest.Command("HELLO", "\x01\x00"+strings.Repeat("\x00", 72)+strings.Repeat("k", 32+8+80))...)
		}
	case zmtp2Bytes:
		out = []byte{0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 1, byte(peer)}
		out = append(out, 0, 0)
	case zmtp1Bytes:
		out = []byte{1, 0}
	}
	switch shape % shapes {
	case greetingFrames, handshakeFrames:
		out = append(out, frames(data)...)
	default:
		out = append(out, data...)
	}
	_, _ = conn.Write(out)
}

// FuzzHostilePeer has a peer say anything, after or instead of what ZMTP begins with, to
// a socket of any type and mechanism. An honest peer is served by the same socket then.
// Not among the sockets are those of which docs/safety.md says that a peer can end the
// process: with Conflate, DISH and RADIO.
func FuzzHostilePeer(f *testing.F) {
	ready := "\x04\x05READY" + zmqtest.Property("Socket-Type", "DEALER") + zmqtest.Property("Identity", "x")
	for typ, types := range sceneTypes {
		for mechanism := range sceneMechanisms {
			m, k := uint8(mechanism), uint8(typ)
			f.Add(m, k, uint8(rawBytes), []byte{})
			f.Add(m, k, uint8(greetingBytes), []byte{4, 0})
			f.Add(m, k, uint8(greetingFrames), records(ready, "\x00", "\x01hello", "\x00world"))
			f.Add(m, k, uint8(handshakeFrames), records("\x00hello", "\x01a", "\x01", "\x00b"))
			f.Add(m, k, uint8(handshakeFrames|staysOpen), records("\x01", "\x01unfinished"))
			f.Add(m, k, uint8(handshakeFrames|staysOpen), records("\x04\x04PING\x00\x0acontext", "\x04\x04PONG", "\x04\x09SUBSCRIBEa", "\x04\x06CANCELa", "\x00\x01honest", "\x00\x00honest"))
		}
		m, k := uint8(0), uint8(typ)
		f.Add(m, k, uint8(rawBytes|staysOpen), []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
		f.Add(m, k, uint8(handshakeBytes), []byte{2, 0x7f, 255, 255, 255, 255, 255, 255, 255})
		f.Add(m, k, uint8(handshakeBytes|staysOpen), []byte{2, 0, 0, 0, 0, 0x3f, 255, 255, 255, 1})
		f.Add(m, k, uint8(zmtp2Bytes), []byte{0, 5, 'h', 'e', 'l', 'l', 'o', 1, 1, 'a', 0, 0})
		f.Add(m, k, uint8(zmtp1Bytes), []byte{6, 0, 'h', 'e', 'l', 'l', 'o', 2, 1, 'a', 1, 0})
		f.Add(m, k, uint8(greetingFrames), records("\x04\x05READY"+zmqtest.Property("Socket-Type", types.peer.String())+zmqtest.Property("Identity", "\x00abcd")+zmqtest.Property("X", strings.Repeat("v", 80))))
		f.Add(m, k, uint8(greetingFrames), records("\x04\x05READY\x0bSocket-Type\x7f\xff\xff\xff", "\x04\x05ERROR\xff"))
	}
	f.Add(uint8(1), uint8(0), uint8(greetingFrames), records("\x04\x05HELLO\x07mallory\x00", "\x04\x08INITIATE"))
	f.Add(uint8(1), uint8(0), uint8(greetingFrames), records("\x04\x05HELLO\xffada", "\x04\x05HELLO", "\x04\x07WELCOME"))
	s := newScene(f)
	f.Fuzz(func(t *testing.T, mechanism, typ, shape uint8, data []byte) {
		ctx, cancel := context.WithTimeout(t.Context(), hostileLimit)
		defer cancel()
		name := sceneMechanisms[int(mechanism)%len(sceneMechanisms)]
		v := s.victim(ctx, t, name, typ)
		defer closeNow(t, v.s)
		conn := v.dial()
		defer conn.Close()
		if v.s.Type() == zmq.Stream {
			shape &= staysOpen // it does not answer
		}
		hostile(conn, name, v.peer, shape, data)
		if shape&staysOpen == 0 {
			// When the victim has ended the connection, it has read all of that.
			_ = conn.CloseWrite()
			_ = conn.SetReadDeadline(time.Now().Add(hostileLimit))
			_, err := io.Copy(io.Discard, conn)
			require.False(t, timedOut(err), "the victim has not read to the end")
		}
		v.serves()
	})
}

func timedOut(err error) bool {
	e, ok := err.(net.Error)
	return ok && e.Timeout()
}

// A tamperer passes a connection on, changes bytes of it, and keeps all that it passes on.
type tamperer struct {
	front    string
	listener net.Listener
	work     sync.WaitGroup
	mu       sync.Mutex
	conns    []net.Conn
	seen     bytes.Buffer
	moved    atomic.Int64 // bytes passed on
	ended    atomic.Bool
}

func (w *tamperer) shows(text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Contains(w.seen.String(), text)
}

// newTamperer stands before an address. Of edits, each record is an offset of 15 bits and
// a bit for the direction, and what is done to the byte there.
func newTamperer(t *testing.T, address string, edits []byte) *tamperer {
	l := noErr(net.Listen("tcp", "127.0.0.1:0"))(t)
	w := &tamperer{front: "tcp://" + l.Addr().String(), listener: l}
	var changes [2]map[int]byte
	for i := range changes {
		changes[i] = map[int]byte{}
	}
	for ; len(edits) >= 3; edits = edits[3:] {
		at := binary.BigEndian.Uint16(edits)
		changes[at>>15][int(at&0x7fff)] = edits[2]
	}
	w.work.Go(func() {
		client, err := l.Accept()
		if err != nil {
			return
		}
		_ = l.Close() // who comes again is turned away
		server, err := net.Dial("tcp", address)
		if err != nil {
			_ = client.Close()
			return
		}
		w.mu.Lock()
		w.conns = append(w.conns, client, server)
		w.mu.Unlock()
		w.work.Go(func() { w.pass(server, client, changes[0]) })
		w.pass(client, server, changes[1])
	})
	return w
}

func (w *tamperer) pass(to, from net.Conn, changes map[int]byte) {
	defer w.ended.Store(true)
	defer to.Close()
	defer from.Close()
	buf := make([]byte, 4096)
	for at := 0; ; {
		n, err := from.Read(buf)
		for i := range n {
			buf[i] ^= changes[at+i]
		}
		at += n
		w.mu.Lock()
		w.seen.Write(buf[:n])
		w.mu.Unlock()
		w.moved.Add(int64(n))
		if _, failed := to.Write(buf[:n]); err != nil || failed != nil {
			return
		}
	}
}

func (w *tamperer) close() {
	_ = w.listener.Close()
	w.mu.Lock()
	for _, c := range w.conns {
		_ = c.Close()
	}
	w.mu.Unlock()
	w.work.Wait()
}
