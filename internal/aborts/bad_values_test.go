//go:build unix

package aborts

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil/intercept"
	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// tryBadValues gives every option of every type of socket values of every kind, by
// its number, which is how nothing but this API's own checks can refuse them.
func tryBadValues(t *testing.T, report func(error)) {
	// The opposite of IPv6, and deprecated: the one option of libzmq's that this API does
	// not know and hands on as it is.
	const ipv4Only = 31
	intercept.AbortOnBadOptions()
	last := zmq.Stream
	if zmq.Has("draft") {
		last = zmq.Channel
	}
	refused, set := 0, 0
	note := func(err error) {
		var e *zmq.Error
		switch {
		case err == nil:
			set++
		case errors.As(err, &e):
			refused++
		default:
			require.NoError(t, err)
		}
	}
	ints := []int{math.MinInt32, -1000, -2, -1, 0, 1, 2, 3, 4, 7, 255, 256, 1000, 32767, 32768, 65536, math.MaxInt32}
	texts := [][]byte{
		nil,
		{0},
		[]byte("x"), []byte("text"), bytes.Repeat([]byte("k"), 32), bytes.Repeat([]byte("k"), 40), bytes.Repeat([]byte{'"'}, 40),
		bytes.Repeat([]byte("l"), 255), bytes.Repeat([]byte("l"), 256), bytes.Repeat([]byte("l"), 70000),
	}
	zctx := zmqtest.NewContext(t)
	for typ := zmq.Pair; typ <= last; typ++ {
		for number := range 130 {
			if number == ipv4Only {
				continue
			}
			s, err := zctx.NewSocket(typ, zmq.Linger.To(0))
			require.NoError(t, err)
			for _, n := range ints {
				note(s.Set(zmq.OptionByNumber[int](number).To(n)))
				note(s.Set(zmq.OptionByNumber[int64](number).To(int64(n))))
				note(s.Set(zmq.OptionByNumber[uint64](number).To(uint64(n))))
			}
			for _, b := range texts {
				note(s.Set(zmq.OptionByNumber[[]byte](number).To(b)))
				note(s.Set(zmq.OptionByNumber[string](number).To(string(b))))
			}
			require.NoError(t, s.Close())
		}
	}
	// Both happened, and libzmq was asked.
	if refused < 1000 || set < 1000 || intercept.OptionCalls() < 1000 {
		report(fmt.Errorf("%d settings were refused and %d made, libzmq was asked %d times", refused, set, intercept.OptionCalls()))
		return
	}
	report(nil)
}
