package zmq

import (
	"context"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A tape is a fuzzer's bytes, taken off from the front. Behind its end there are zeros.
type tape []byte

func (t *tape) byte() byte {
	if len(*t) == 0 {
		return 0
	}
	b := (*t)[0]
	*t = (*t)[1:]
	return b
}

// bytes takes a length, and as many bytes as there are of that.
func (t *tape) bytes() []byte {
	n := min(int(t.byte()), len(*t))
	b := (*t)[:n:n]
	*t = (*t)[n:]
	return b
}

func (t *tape) number() int64 {
	var b [8]byte
	copy(b[:], t.bytes())
	return int64(binary.LittleEndian.Uint64(b[:]))
}

// The steps of a program: what stands behind each is what optionStep takes from the
// tape.
const (
	stepBool = iota
	stepInt
	stepInt64
	stepUint64
	stepDuration
	stepString
	stepBytes
	stepLong // a length, and a byte to repeat
	stepPolicy
	stepNonsense
	stepRaw // OptionByNumber, a number of the table
	stepRawUnknown
	stepGet
	stepAll
	stepZero
	stepBind
	stepConnect
	stepMessage
	steps
)

// FuzzOptions carries out programs that set and read options on a socket of any type,
// before and after it is bound and connected and has sent something: each step ends in
// nil or an *Error. Left out is what docs/safety.md names: numbers that libzmq knows and
// the table does not, Conflate with messages of several parts, and SocksProxy when its
// proxy refuses.
func FuzzOptions(f *testing.F) {
	for typ := range stableTypes {
		f.Add(uint8(typ), []byte{stepBind, stepConnect, stepMessage, stepAll, stepZero})
	}
	for i := range optionTable {
		o, line := optionTable[i], byte(i)
		typ := uint8(0)
		for k, t := range stableTypes {
			if o.types.has(t) {
				typ = uint8(k)
				break
			}
		}
		program := []byte{stepInt, line, 1, 1, stepBool, line, 1, stepDuration, line, 4, 0, 0x94, 0x35, 0x77, stepString, line, 3, 'X', '-', 'a'}
		program = append(program, stepInt, line, 8, 255, 255, 255, 255, 255, 255, 255, 255, stepLong, line, 40, '0', stepRaw, line, 4, 4, 1, 0, 0, 0, stepGet, line)
		f.Add(typ, append(program, stepBind, stepConnect, stepMessage, stepInt, line, 1, 2, stepRaw, line, 0, 1, 2, stepNonsense, line))
	}
	f.Add(uint8(1), []byte{stepRawUnknown, 3, 255, 255, 1, 4, 1, 2, 3, 4, stepRawUnknown, 2, 231, 3, 0, 0})
	// One context for all: each costs two threads.
	zctx, err := NewContext()
	require.NoError(f, err)
	f.Cleanup(func() { require.NoError(f, zctx.Close()) })
	f.Fuzz(func(t *testing.T, typ uint8, program []byte) {
		s := noErr(zctx.NewSocket(stableTypes[int(typ)%len(stableTypes)], Linger.To(0)))(t)
		peer := noErr(zctx.NewSocket(Dealer, Linger.To(0)))(t)
		defer func() {
			require.NoError(t, s.Set(Linger.To(0))) // whatever the program has made of it
			require.NoError(t, s.Close())
			require.NoError(t, peer.Close())
		}()
		require.NoError(t, peer.Bind("tcp://127.0.0.1:*"))
		for p, n := tape(program), 0; len(p) > 0 && n < 40; n++ {
			if err := optionStep(t, s, peer, &p); err != nil {
				require.IsType(t, (*Error)(nil), err)
				require.NotEmpty(t, err.(*Error).Op)
				require.NotContains(t, err.Error(), "%!", "a format that does not fit")
			}
		}
	})
}

// fuzzed tells which options a program may set.
func fuzzed(o *optionSpec) bool { return o.number != numSocksProxy && o.number != numConflate }

func optionStep(t *testing.T, s, peer *Socket, p *tape) error {
	step := p.byte() % steps
	switch step {
	case stepRawUnknown:
		return rawStep(s, int(p.number()), p)
	case stepAll:
		for name, v := range s.Options() {
			require.NotEmpty(t, name)
			require.NotNil(t, v)
		}
		return nil
	case stepZero:
		var o Option[int]
		require.Error(t, errOf(o.Get(s)))
		require.Error(t, s.Set(Setting{}))
		return s.Set(o.To(1))
	case stepBind:
		return s.Bind("tcp://127.0.0.1:*")
	case stepConnect:
		endpoint := endpointOf(t, peer)
		return s.Connect(endpoint)
	case stepMessage:
		_ = peer.SendString(context.Background(), "hello", DontWait)
		if err := s.SendMultipart(context.Background(), [][]byte{{1}, p.bytes()}, DontWait); err != nil {
			require.IsType(t, (*Error)(nil), err)
		}
		_, err := s.RecvMultipart(context.Background(), DontWait)
		return err
	}
	o := optionTable[int(p.byte())%len(optionTable)]
	if step == stepGet {
		_, err := o.get(s)
		return err
	}
	if !fuzzed(o) {
		return nil
	}
	var v any
	switch step {
	case stepBool:
		v = p.byte()&1 != 0
	case stepInt:
		v = int(p.number())
	case stepInt64:
		v = p.number()
	case stepUint64:
		v = uint64(p.number())
	case stepDuration:
		v = time.Duration(p.number())
	case stepString:
		v = string(p.bytes())
	case stepBytes:
		v = p.bytes()
	case stepLong:
		v = strings.Repeat(string(p.bytes()), 1+int(p.byte())*int(p.byte()))
	case stepPolicy:
		v = FullPolicy(p.number())
	case stepNonsense:
		v = []any{nil, 1.5, []int{1}, struct{}{}}[p.byte()%4]
	case stepRaw:
		return rawStep(s, o.number, p)
	}
	return s.Set(to(o, v))
}

// rawStep sets an option by its number, in one of the forms for that, and reads it. A
// number that neither the table nor any libzmq has is an error.
func rawStep(s *Socket, number int, p *tape) error {
	if specOf(number) == nil && number >= 0 && number < 1000 {
		return nil // libzmq may have it
	}
	form, value := p.byte()%5, p.bytes()
	n := (*tape)(&value).number()
	var err, got error
	switch form {
	case 0:
		o := OptionByNumber[int](number)
		err = s.Set(o.To(int(n)))
		_, got = o.Get(s)
	case 1:
		o := OptionByNumber[int64](number)
		err = s.Set(o.To(n))
		_, got = o.Get(s)
	case 2:
		o := OptionByNumber[uint64](number)
		err = s.Set(o.To(uint64(n)))
		_, got = o.Get(s)
	case 3:
		o := OptionByNumber[string](number)
		err = s.Set(o.To(string(value)))
		_, got = o.Get(s)
	default:
		o := OptionByNumber[[]byte](number)
		err = s.Set(o.To(value))
		_, got = o.Get(s)
	}
	if got != nil {
		return got
	}
	return err
}
