package zmq

import (
	"fmt"
	"io"
	"log/slog"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

const opCurve = "curve"

// NewCurveKeypair makes a new pair of CURVE keys, each 40 characters of Z85. The
// public key is for the other side, the secret key for this one alone; see
// [CurveKeys] for a pair that does not show its secret when it is printed. Any
// goroutine may call it, and it does not block. ErrNotSupported says that the
// libzmq in use was built without CURVE.
//
// libzmq: zmq_curve_keypair.
func NewCurveKeypair() (public, secret string, err error) {
	if err := haveCurve(); err != nil {
		return "", "", err
	}
	p, s, rc := libzmq.CurveKeypair()
	if rc < 0 {
		return "", "", curveError(rc)
	}
	return string(p[:]), string(s[:]), nil
}

// CurvePublic returns the public key that belongs to a secret key, both 40
// characters of Z85. EINVAL says that secret is no key; the error does not repeat
// it. ErrNotSupported says that the libzmq in use was built without CURVE. Any
// goroutine may call it, and it does not block.
//
// libzmq: zmq_curve_public.
func CurvePublic(secret string) (public string, err error) {
	if err := haveCurve(); err != nil {
		return "", err
	}
	if err := checkKeyText(secret); err != nil {
		return "", &Error{Op: opCurve, Errno: syscall.EINVAL, Detail: "secret key: " + err.Error()}
	}
	p, rc := libzmq.CurvePublic([z85KeyLen]byte([]byte(secret)))
	if rc < 0 {
		return "", curveError(rc)
	}
	return string(p[:]), nil
}

// haveCurve: what libzmq itself says without CURVE does not name the remedy.
func haveCurve() error {
	if err := libzmq.Load(); err != nil {
		return &Error{Op: opCurve, Errno: syscall.ENOENT, Detail: err.Error(), cause: err}
	}
	if !libzmq.Has("curve") {
		return curveError(-int(syscall.ENOTSUP))
	}
	return nil
}

func curveError(rc int) error {
	if rc == -int(syscall.ENOTSUP) {
		return &Error{Op: opCurve, Errno: syscall.ENOTSUP, Detail: "this libzmq was built without curve; " + needText("curve")}
	}
	return wrapError(opCurve, "", "", syscall.Errno(-rc))
}

// CurveKeys is a pair of CURVE keys, each 40 characters of Z85. It is a plain value:
// goroutines may share it as long as none writes it. However it is printed, logged
// or marshalled, only the public key is shown. (Package fmt cannot ask a value that
// sits in an unexported field of another struct, and prints all of that.)
type CurveKeys struct {
	Public string // for the other side
	Secret string // for this side alone
}

// NewCurveKeys is [NewCurveKeypair] with the pair in one value.
//
// libzmq: zmq_curve_keypair.
func NewCurveKeys() (CurveKeys, error) {
	public, secret, err := NewCurveKeypair()
	return CurveKeys{Public: public, Secret: secret}, err
}

// String returns the public key, and of the secret key whether there is one.
func (k CurveKeys) String() string {
	return fmt.Sprintf("{Public:%s Secret:%s}", k.Public, redacted(k.Secret))
}

// GoString is String in Go's syntax, for the format %#v.
func (k CurveKeys) GoString() string {
	return fmt.Sprintf("zmq.CurveKeys{Public:%q, Secret:%q}", k.Public, redacted(k.Secret))
}

// Format prints String or GoString whatever the verb is.
func (k CurveKeys) Format(f fmt.State, verb rune) { formatRedacted(f, verb, k) }

// LogValue is what log/slog records: the public key, and whether there is a secret
// one.
func (k CurveKeys) LogValue() slog.Value {
	return slog.GroupValue(slog.String("public", k.Public), slog.String("secret", redacted(k.Secret)))
}

// MarshalText is what encoding/json and its like write: String. There is no way
// back; store keys as certificates (package zap).
func (k CurveKeys) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// redacted returns what is shown in place of a secret: "(set)", or "" for none.
func redacted(secret string) string {
	if secret == "" {
		return ""
	}
	return "(set)"
}

func formatRedacted(f fmt.State, verb rune, v interface {
	fmt.Stringer
	fmt.GoStringer
},
) {
	text := v.String()
	if verb == 'v' && f.Flag('#') {
		text = v.GoString()
	}
	// fmt.State reports no errors of its own.
	_, _ = io.WriteString(f, text)
}

// check refuses half a pair, and keys that do not belong together. A pair without
// its public key gets it.
func (k *CurveKeys) check() error {
	if err := checkKeyText(k.Secret); err != nil {
		return fmt.Errorf("secret key: %w", err)
	}
	public, err := CurvePublic(k.Secret)
	if err != nil {
		return err
	}
	if k.Public == "" {
		k.Public = public
	}
	if err := checkKeyText(k.Public); err != nil {
		return fmt.Errorf("public key: %w", err)
	}
	if k.Public != public {
		return fmt.Errorf("the public key %s does not belong to the secret key, whose is %s", k.Public, public)
	}
	return nil
}
