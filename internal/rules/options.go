package rules

import (
	"bytes"
	"encoding/binary"
	"sync/atomic"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Options records which options of a socket are on: their last value was neither 0 nor
// empty. The checks of values and endpoints, and the operations of the socket, all ask this
// one record. Any number of goroutines may use it; the zero value is that of a new socket.
type Options struct{ on [2]atomic.Uint64 }

// texts are the numbers of the options whose value is text or bytes. Such a value is on
// unless it is empty; any other is a number in memory, on unless that is 0.
var texts = func() (set [2]uint64) {
	for _, n := range []int{
		5, 6, 7, 32, 45, 46, 48, 49, 50, 55, libzmq.OptConnectID, 63, 64, 68, libzmq.OptXPubWelcome,
		92, 95, 99, 100, 103, 104, 105, 106, libzmq.OptHelloMsg, 111, 114,
	} {
		set[n/64] |= 1 << (n % 64)
	}
	return set
}()

// Note records a value that libzmq has accepted, as it is in memory.
func (o *Options) Note(number int, value []byte) {
	if number < 0 || number >= 128 {
		return
	}
	on := len(value) > 0
	if texts[number/64]&(1<<(number%64)) == 0 {
		on = len(bytes.Trim(value, "\x00")) > 0
	}
	o.Turn(number, on)
}

// Turn records that an option is on or off.
func (o *Options) Turn(number int, on bool) {
	if bit := uint64(1) << (number % 64); on {
		o.on[number/64].Or(bit)
	} else {
		o.on[number/64].And(^bit)
	}
}

// On reports whether an option is on. It is false for a number that libzmq does not have.
func (o *Options) On(number int) bool {
	return uint(number) < 128 && o.on[number/64].Load()&(1<<(number%64)) != 0
}

// Int returns the value of an option that is a C int, as it is in memory.
func Int(v int) []byte { return binary.NativeEndian.AppendUint32(nil, uint32(int32(v))) }

// Millis returns the value of an option that is a C int in milliseconds.
func Millis(value []byte) time.Duration {
	return time.Duration(int32(binary.NativeEndian.Uint32(value))) * time.Millisecond
}
