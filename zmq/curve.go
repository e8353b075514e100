package zmq

import (
	"fmt"
	"io"
	"log/slog"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

const opCurve = "curve"

// NewCurveKeypair returns a new pair of CURVE keys, each 40 characters of Z85. Give the
// public key to the peer and keep the secret key. [CurveKeys] is a pair that does not
// show its secret key when it is printed.
//
// Any goroutine may call it, and it does not block. The error is ErrNotSupported if the
// libzmq in use was built without CURVE.
//
// Implements: zmq_curve_keypair.
func NewCurveKeypair() (public, secret string, err error) {
	if err := needs(opCurve, "curve", "CURVE keys"); err != nil {
		return "", "", err
	}
	p, s, rc := libzmq.CurveKeypair()
	if rc < 0 {
		return "", "", codeError(opCurve, rc)
	}
	return string(p[:]), string(s[:]), nil
}

// CurvePublic returns the public key that belongs to a secret key. Both have 40
// characters of Z85. Any goroutine may call it, and it does not block.
//
// The error is EINVAL if secret is not a key; its text does not contain secret. It is
// ErrNotSupported if the libzmq in use was built without CURVE.
//
// Implements: zmq_curve_public.
func CurvePublic(secret string) (public string, err error) {
	if err := needs(opCurve, "curve", "CURVE keys"); err != nil {
		return "", err
	}
	if err := checkKeyText(secret); err != nil {
		return "", &Error{Op: opCurve, Errno: syscall.EINVAL, Detail: "secret key: " + err.Error()}
	}
	p, rc := libzmq.CurvePublic([z85KeyLen]byte([]byte(secret)))
	if rc < 0 {
		return "", codeError(opCurve, rc)
	}
	return string(p[:]), nil
}

// CurveKeys is a pair of CURVE keys, each 40 characters of Z85. It is a plain value:
// goroutines may share it if none of them writes to it. If it is printed, logged or
// marshalled, only the public key is shown. The exception is a CurveKeys in an unexported
// field of another struct: package fmt prints it in full, with the secret key.
type CurveKeys struct {
	Public string // for the peer
	Secret string // for this process only
}

// NewCurveKeys returns a new pair of CURVE keys. It otherwise behaves like
// [NewCurveKeypair].
//
// Implements: zmq_curve_keypair.
func NewCurveKeys() (CurveKeys, error) {
	public, secret, err := NewCurveKeypair()
	return CurveKeys{Public: public, Secret: secret}, err
}

// String returns the public key, and whether there is a secret key.
func (k CurveKeys) String() string {
	return fmt.Sprintf("{Public:%s Secret:%s}", k.Public, redacted(k.Secret))
}

// GoString returns the text of String.
func (k CurveKeys) GoString() string { return k.String() }

// Format prints String for every verb.
func (k CurveKeys) Format(f fmt.State, _ rune) {
	// fmt.State reports no errors of its own.
	_, _ = io.WriteString(f, k.String())
}

// LogValue returns what log/slog records: the public key, and whether there is a secret
// key.
func (k CurveKeys) LogValue() slog.Value {
	return slog.GroupValue(slog.String("public", k.Public), slog.String("secret", redacted(k.Secret)))
}

// MarshalText returns String, for encoding/json and similar packages. The result cannot
// be read back; store keys as certificates (package zap).
func (k CurveKeys) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// MarshalBinary returns String, for encoding/gob and similar packages.
func (k CurveKeys) MarshalBinary() ([]byte, error) { return k.MarshalText() }

// redacted returns the text that replaces a secret: "(set)", or "" for none.
func redacted(secret string) string {
	if secret == "" {
		return ""
	}
	return "(set)"
}

// check returns an error for an incomplete pair, and for keys that do not belong
// together. It fills in a missing public key.
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
		return fmt.Errorf("the public key %s does not belong to the secret key, whose public key is %s", k.Public, public)
	}
	return nil
}
