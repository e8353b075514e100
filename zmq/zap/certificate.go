package zap

import (
	"bytes"
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

// secretSuffix is the suffix of the file with the secret key.
const secretSuffix = "_secret"

// maxCertificate is the maximum size of a certificate file.
const maxCertificate = 64 << 10

// Certificate is a pair of CURVE keys, each 40 characters of Z85, and metadata about its
// owner. Its files have the format of CZMQ and pyzmq. Printing, logging or marshalling it
// does not reveal the secret key, unless the Certificate is in an unexported field of
// another struct.
type Certificate struct {
	Public   string
	Secret   string            // empty if only the public key is known
	Metadata map[string]string // such as name and email; see Save for the rules
}

// NewCertificate creates a certificate with new keys and no metadata. It fails with
// zmq.ErrNotSupported if libzmq was built without CURVE.
//
// Implements: zmq_curve_keypair.
func NewCertificate() (Certificate, error) {
	public, secret, err := zmq.NewCurveKeypair()
	if err != nil {
		return Certificate{}, err
	}
	return Certificate{Public: public, Secret: secret, Metadata: map[string]string{}}, nil
}

// LoadCertificate reads the certificate that Save wrote to path. If path + "_secret"
// exists and is readable, it reads that file, which has the secret key. Otherwise it
// reads path, which has only the public key. If path ends in "_secret", it reads path. It
// does not need libzmq.
//
// Test the error for fs.ErrNotExist and fs.ErrPermission with errors.Is. An invalid file
// returns a *zmq.Error with EINVAL. Its text names the file and the line, and contains no
// key. Keys that do not belong together and files of more than 64 KiB are invalid.
func LoadCertificate(path string) (Certificate, error) {
	c, err := readCertificate(path + secretSuffix)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return readCertificate(path)
	}
	return c, err
}

// LoadPublicCertificate reads only the file at path, as a server does for its clients. It
// otherwise behaves like LoadCertificate.
func LoadPublicCertificate(path string) (Certificate, error) { return readCertificate(path) }

func readCertificate(path string) (Certificate, error) {
	// Check before the open, because opening a named pipe would wait for a writer.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return Certificate{}, badCertificate("%s is not a regular file", path)
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
		return Certificate{}, badCertificate("%s:%s", path, err.(*zmq.Error).Detail)
	}
	return c, nil
}

func badCertificate(format string, args ...any) error {
	return &zmq.Error{Op: "certificate", Errno: syscall.EINVAL, Detail: fmt.Sprintf(format, args...)}
}

// fileError keeps the errno, by which errors.Is finds fs.ErrNotExist and others.
func fileError(path string, err error) error {
	errno := syscall.EIO
	var number syscall.Errno
	if errors.As(err, &number) {
		errno = number
	}
	return &zmq.Error{Op: "certificate", Errno: errno, Detail: path + ": " + errno.Error()}
}

// Save writes the public key and the metadata to path, with mode 0644 regardless of the
// umask. If there is a secret key, it first writes the whole certificate to path +
// "_secret" with mode 0600. It replaces existing files. It writes each file under another
// name in the same directory, syncs it and renames it, so that no file is ever
// incomplete. If writing the second file fails, the first has been written. If this
// certificate has no secret key and path + "_secret" belongs to another certificate, Save
// fails with EEXIST. If that file cannot be read, Save returns that error.
//
// Metadata names consist of 1 to 255 letters, digits and "-_.+/$@&". Values are valid
// UTF-8 of at most 4096 bytes, without control characters, and do not contain both single
// and double quotes. A file may be at most 64 KiB long. An invalid certificate returns a
// *zmq.Error with EINVAL.
func (c Certificate) Save(path string) error {
	if err := c.check(); err != nil {
		return err
	}
	if n := len(c.text(c.Secret != "")); n > maxCertificate {
		return badCertificate("the file would have %d bytes, more than %d; use less metadata", n, maxCertificate)
	}
	if c.Secret == "" {
		old, err := readCertificate(path + secretSuffix)
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return err
		case err == nil && old.Public != c.Public:
			return &zmq.Error{Op: "certificate", Errno: syscall.EEXIST, Detail: path + secretSuffix + " belongs to another certificate; move it away, or save under another name"}
		}
	} else if err := writeFile(path+secretSuffix, c.text(true), 0o600); err != nil {
		return err
	}
	return writeFile(path, c.text(false), 0o644)
}

// writeFile writes a temporary file in the same directory, and renames it once it is on disk.
func writeFile(path string, text []byte, mode fs.FileMode) error {
	// Created with mode 0600. A directory store does not look at hidden files.
	f, err := os.CreateTemp(filepath.Dir(path), ".certificate-*")
	if err != nil {
		return fileError(path, err)
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		// Report the earlier error, not that of Remove.
		_ = os.Remove(f.Name())
		return fileError(path, err)
	}
	return nil
}

// Keys returns the keys for zmq.AsCurveClient.
func (c Certificate) Keys() zmq.CurveKeys { return zmq.CurveKeys{Public: c.Public, Secret: c.Secret} }

// check refuses an invalid certificate.
func (c Certificate) check() error {
	if err := checkKey("the public key", c.Public); err != nil {
		return badCertificate("%v", err)
	}
	if c.Secret != "" {
		if err := checkKey("the secret key", c.Secret); err != nil {
			return badCertificate("%v", err)
		}
		// checkKey has decoded both.
		public, _ := zmq.Z85Decode(c.Public)
		secret, _ := zmq.Z85Decode(c.Secret)
		private, err := ecdh.X25519().NewPrivateKey(secret)
		if err != nil || !bytes.Equal(private.PublicKey().Bytes(), public) {
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

// checkKey refuses what is not a key. The error does not contain the key.
func checkKey(name, key string) error {
	var e *zmq.Error
	if errors.As(zmq.CheckCurveKey(key), &e) {
		return fmt.Errorf("%s: %s", name, e.Detail)
	}
	return nil
}

// String returns the public key, the metadata, and whether there is a secret key.
func (c Certificate) String() string {
	return fmt.Sprintf("{Keys:%v Metadata:%v}", c.Keys(), c.Metadata)
}

// GoString returns the text of String.
func (c Certificate) GoString() string { return c.String() }

// Format prints String for every verb.
func (c Certificate) Format(f fmt.State, _ rune) {
	// fmt.State reports no errors of its own.
	_, _ = io.WriteString(f, c.String())
}

// LogValue returns the value for log/slog, without the secret key.
func (c Certificate) LogValue() slog.Value {
	return slog.GroupValue(slog.Any("keys", c.Keys()), slog.Any("metadata", maps.Clone(c.Metadata)))
}

// MarshalText returns String, for encoding/json and similar packages. The text cannot be
// unmarshalled: use Save to keep a certificate.
func (c Certificate) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// MarshalBinary returns String, for encoding/gob and similar packages.
func (c Certificate) MarshalBinary() ([]byte, error) { return c.MarshalText() }
