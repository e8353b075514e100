package zap

import (
	"crypto/ecdh"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"syscall"

	"github.com/go-zmq/go-zmq/zmq"
)

// secretSuffix is appended to a certificate's path for the file with the secret key.
const secretSuffix = "_secret"

// maxCertificate is the longest file that is read.
const maxCertificate = 64 << 10

// Certificate is a pair of CURVE keys, each 40 characters of Z85, and what its owner
// wants to be known by. It is kept in files as CZMQ and pyzmq write them. It is a
// plain value; however it is printed, logged or marshalled, its secret key is not
// shown, unless it sits in an unexported field of another struct.
type Certificate struct {
	Public   string
	Secret   string            // empty: only the public part is known
	Metadata map[string]string // such as name, email; see Save for what is allowed
}

// NewCertificate makes a certificate with new keys. ErrNotSupported says that the
// libzmq in use was built without CURVE.
//
// libzmq: zmq_curve_keypair.
func NewCertificate() (Certificate, error) {
	public, secret, err := zmq.NewCurveKeypair()
	if err != nil {
		return Certificate{}, err
	}
	return Certificate{Public: public, Secret: secret, Metadata: map[string]string{}}, nil
}

// LoadCertificate reads the certificate that Save wrote to path: the file with the
// secret key, path + "_secret", where it exists and may be read, else path with the
// public key alone. A path that itself ends in "_secret" is read as it is. It needs
// no libzmq.
//
// errors.Is finds fs.ErrNotExist and fs.ErrPermission. A file that is no
// certificate is an *zmq.Error with EINVAL, whose text names the file and the line,
// and no key. So is one whose keys do not belong together, or that has more than 64
// KiB.
func LoadCertificate(path string) (Certificate, error) {
	c, err := readCertificate(path + secretSuffix)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return readCertificate(path)
	}
	return c, err
}

// LoadPublicCertificate reads the file at path alone, as a server does for its
// clients; otherwise it is as LoadCertificate.
func LoadPublicCertificate(path string) (Certificate, error) { return readCertificate(path) }

func readCertificate(path string) (Certificate, error) {
	// Before it is opened: opening a named pipe would wait for a writer.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return Certificate{}, badCertificate("%s is no file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return Certificate{}, fileError(path, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxCertificate+1))
	switch {
	case err != nil:
		return Certificate{}, fileError(path, err)
	case len(text) > maxCertificate:
		return Certificate{}, badCertificate("%s has more than %d bytes", path, maxCertificate)
	}
	c, err := ParseCertificate(text)
	if err != nil {
		var e *zmq.Error
		if errors.As(err, &e) {
			return Certificate{}, badCertificate("%s:%s", path, e.Detail)
		}
		return Certificate{}, err
	}
	return c, nil
}

func badCertificate(format string, args ...any) error {
	return &zmq.Error{Op: "certificate", Errno: syscall.EINVAL, Detail: fmt.Sprintf(format, args...)}
}

// fileError keeps the number, by which errors.Is finds fs.ErrNotExist and others.
func fileError(path string, err error) error {
	errno := syscall.EIO
	var number syscall.Errno
	if errors.As(err, &number) {
		errno = number
	}
	return &zmq.Error{Op: "certificate", Errno: errno, Detail: path + ": " + errno.Error()}
}

// Save writes the certificate: path gets the public key and the metadata, and, if
// there is a secret key, path + "_secret" gets all, with mode 0600. Each file is
// written beside its place and then moved there, so that there is never half of
// one. Existing files are replaced, except the secret of another certificate when
// this one has none: that is EEXIST, since the two would be taken for one.
//
// Metadata names consist of letters, digits and "-_.+/$@&"; values have no control
// characters, and not both kinds of quotes. What cannot be written is an *zmq.Error
// with EINVAL.
func (c Certificate) Save(path string) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.Secret == "" {
		old, err := readCertificate(path + secretSuffix)
		if !errors.Is(err, fs.ErrNotExist) && old.Public != c.Public {
			return &zmq.Error{Op: "certificate", Errno: syscall.EEXIST, Detail: path + secretSuffix + " is of another certificate; move it away, or save under another name"}
		}
	} else if err := writeFile(path+secretSuffix, c.text(true), 0o600); err != nil {
		return err
	}
	return writeFile(path, c.text(false), 0o644)
}

// writeFile writes a file beside its place, and moves it there once it is on disk.
func writeFile(path string, text []byte, mode fs.FileMode) error {
	// Created with mode 0600. A directory store does not look at hidden files.
	f, err := os.CreateTemp(filepath.Dir(path), ".certificate-*")
	if err != nil {
		return fileError(path, err)
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		// The reason to give is what went wrong before.
		_ = os.Remove(f.Name())
		return fileError(path, err)
	}
	return nil
}

// Keys returns the pair for zmq.AsCurveClient.
func (c Certificate) Keys() zmq.CurveKeys { return zmq.CurveKeys{Public: c.Public, Secret: c.Secret} }

// check refuses what cannot be a certificate.
func (c Certificate) check() error {
	public, err := decodeKey(c.Public)
	if err != nil {
		return badCertificate("the public key: %v", err)
	}
	if c.Secret != "" {
		secret, err := decodeKey(c.Secret)
		if err != nil {
			return badCertificate("the secret key: %v", err)
		}
		private, err := ecdh.X25519().NewPrivateKey(secret)
		if err != nil {
			return badCertificate("the secret key is none")
		}
		if [32]byte(private.PublicKey().Bytes()) != [32]byte(public) {
			return badCertificate("the public key %s does not belong to the secret key", c.Public)
		}
	}
	for name, value := range c.Metadata {
		if err := checkMetadata(name, value); err != nil {
			return badCertificate("%v", err)
		}
	}
	return nil
}

// decodeKey returns the 32 bytes of a key. The error does not repeat it.
func decodeKey(key string) ([]byte, error) {
	if len(key) != 40 {
		return nil, fmt.Errorf("a key is 40 characters of Z85, this one has %d", len(key))
	}
	raw, err := zmq.Z85Decode(key)
	if err != nil {
		return nil, err
	}
	if [32]byte(raw) == [32]byte{} {
		return nil, errors.New("the key is all zeros, which is no key")
	}
	return raw, nil
}

func (c Certificate) redacted() string {
	if c.Secret == "" {
		return ""
	}
	return "(set)"
}

// String returns the public key and the metadata, and whether there is a secret key.
func (c Certificate) String() string {
	return fmt.Sprintf("{Public:%s Secret:%s Metadata:%v}", c.Public, c.redacted(), c.Metadata)
}

// GoString is String in Go's syntax, for the format %#v.
func (c Certificate) GoString() string {
	return fmt.Sprintf("zap.Certificate{Public:%q, Secret:%q, Metadata:%#v}", c.Public, c.redacted(), c.Metadata)
}

// Format prints String or GoString whatever the verb is.
func (c Certificate) Format(f fmt.State, verb rune) {
	text := c.String()
	if verb == 'v' && f.Flag('#') {
		text = c.GoString()
	}
	// fmt.State reports no errors of its own.
	_, _ = io.WriteString(f, text)
}

// LogValue is what log/slog records.
func (c Certificate) LogValue() slog.Value {
	return slog.GroupValue(slog.String("public", c.Public), slog.String("secret", c.redacted()), slog.Any("metadata", maps.Clone(c.Metadata)))
}

// MarshalText is what encoding/json and its like write: String. There is no way
// back; that is what Save is for.
func (c Certificate) MarshalText() ([]byte, error) { return []byte(c.String()), nil }
