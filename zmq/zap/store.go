package zap

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// racy is how old a file must be for its time of change to tell whether it has
// changed since: file systems count in steps.
const racy = 2 * time.Second

// DirectoryStore knows the clients whose certificates lie in a directory, one a
// file, as Certificate.Save writes them; it reads the public files, and ignores
// hidden ones, directories, and those with secret keys. It is safe for use by any
// number of goroutines. It needs no closing, and nothing runs while nobody asks.
type DirectoryStore struct {
	dir   string
	every time.Duration

	mu     sync.Mutex
	looked time.Time             // when the directory was looked at
	files  map[string]storedFile // by name
	byKey  map[string]Certificate
	err    error // what is wrong with the directory itself
}

// storedFile is a file as it was read.
type storedFile struct {
	info fs.FileInfo
	read time.Time
	cert Certificate
	err  error // it is no certificate
}

// NewDirectoryStore makes a store of the certificates in dir. When it is asked for a
// client, and has not looked for so long as every says, it looks whether files have
// come, gone or changed, and reads those; with 0 it looks each time. It fails if dir
// cannot be read; files in it that are no certificates are skipped, and reported by
// Err.
func NewDirectoryStore(dir string, every time.Duration) (*DirectoryStore, error) {
	s := &DirectoryStore{dir: dir, every: every, files: map[string]storedFile{}}
	s.look(time.Now())
	if s.err != nil {
		return nil, s.err
	}
	return s, nil
}

// Allowed reports whether the directory has a certificate with this public key, in
// 40 characters of Z85. It is a function for Policy.Curve; it does not look at the
// domain. When the directory cannot be read any more nobody is allowed.
func (s *DirectoryStore) Allowed(domain, publicKey string) bool {
	_, ok := s.Certificate(publicKey)
	return ok
}

// Certificate returns the certificate with a public key, for its metadata.
func (s *DirectoryStore) Certificate(publicKey string) (Certificate, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	c, ok := s.byKey[publicKey]
	return c, ok
}

// Len returns how many certificates there are.
func (s *DirectoryStore) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	return len(s.byKey)
}

// Err returns what is wrong: the directory that cannot be read, or, joined, the
// files in it that are no certificates. nil: nothing.
func (s *DirectoryStore) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	errs := []error{s.err}
	for _, f := range s.files {
		errs = append(errs, f.err)
	}
	return errors.Join(errs...)
}

func (s *DirectoryStore) refresh() {
	// A clock that was set back must not stop the looking.
	if since := time.Since(s.looked); s.every <= 0 || since >= s.every || since < 0 {
		s.look(time.Now())
	}
}

// look reads what is new. The caller holds s.mu.
func (s *DirectoryStore) look(now time.Time) {
	s.looked = now
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		s.err, s.files, s.byKey = fileError(s.dir, err), map[string]storedFile{}, nil
		return
	}
	files := make(map[string]storedFile, len(entries))
	byKey := make(map[string]Certificate, len(entries))
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, ".") || strings.HasSuffix(name, secretSuffix) {
			continue
		}
		path := filepath.Join(s.dir, name)
		info, err := os.Stat(path) // follows links
		if err != nil || info.IsDir() {
			continue // gone in the meantime
		}
		f, known := s.files[name]
		if !known || !f.same(info) {
			f = storedFile{info: info, read: now}
			f.cert, f.err = readCertificate(path)
			// A server has no use for its clients' secrets.
			f.cert.Secret = ""
		}
		files[name] = f
		if f.err == nil {
			byKey[f.cert.Public] = f.cert
		}
	}
	s.err, s.files, s.byKey = nil, files, byKey
}

// same reports whether the file is certain to be as it was when it was read.
func (f storedFile) same(now fs.FileInfo) bool {
	return os.SameFile(f.info, now) && f.info.Size() == now.Size() && f.info.Mode() == now.Mode() &&
		f.info.ModTime().Equal(now.ModTime()) && f.read.Sub(now.ModTime()) > racy
}
