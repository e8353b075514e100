package zap

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// racy is the age of a file from which on an unchanged modification time means an unchanged
// file. File systems round these times.
const racy = 2 * time.Second

// DirectoryStore knows the clients whose certificates are in a directory, one per file,
// in the format of Certificate.Save. It reads the files with public keys, and ignores
// hidden files, directories and files with secret keys. Any number of goroutines may use
// it at the same time. It does not need to be closed and starts no goroutine.
type DirectoryStore struct {
	dir   string
	every time.Duration

	mu     sync.Mutex
	looked time.Time             // when the directory was last checked
	files  map[string]storedFile // by name
	byKey  map[string]Certificate
	err    error // of reading the directory itself
}

// storedFile is the result of reading a file.
type storedFile struct {
	info fs.FileInfo
	read time.Time
	cert Certificate
	err  error // if it is not a certificate
}

// NewDirectoryStore creates a store for the certificates in dir. Each method first looks
// for new, changed and deleted files, unless the directory was checked recently. The
// parameter every is the minimum time between two checks; if it is 0 or less, each call
// checks the directory. NewDirectoryStore fails if dir cannot be read. It skips files
// that are not certificates; Err reports them.
func NewDirectoryStore(dir string, every time.Duration) (*DirectoryStore, error) {
	s := &DirectoryStore{dir: dir, every: every, files: map[string]storedFile{}}
	s.look(time.Now())
	if s.err != nil {
		return nil, s.err
	}
	return s, nil
}

// Allowed reports whether the directory has a certificate with this public key, encoded
// as 40 characters of Z85. It is a function for Policy.Curve and ignores the domain. If
// the directory can no longer be read, no client is allowed.
func (s *DirectoryStore) Allowed(domain, publicKey string) bool {
	_, ok := s.find(publicKey)
	return ok
}

// Certificate returns a copy of the certificate with this public key, for its metadata.
// The copy has no secret key.
func (s *DirectoryStore) Certificate(publicKey string) (Certificate, bool) {
	c, ok := s.find(publicKey)
	c.Metadata = maps.Clone(c.Metadata)
	return c, ok
}

// find returns a certificate with the map of the store, which must not be changed.
func (s *DirectoryStore) find(publicKey string) (Certificate, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	c, ok := s.byKey[publicKey]
	return c, ok
}

// Len returns the number of certificates.
func (s *DirectoryStore) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	return len(s.byKey)
}

// Err returns the error from reading the directory, the joined errors of files that are
// not certificates, or nil.
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
	// Check also if the clock was set back.
	if since := time.Since(s.looked); s.every <= 0 || since >= s.every || since < 0 {
		s.look(time.Now())
	}
}

// look reads new and changed files. The caller holds s.mu.
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
			continue // deleted since ReadDir
		}
		f, known := s.files[name]
		if !known || f.err != nil || !f.same(info) {
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

// same reports whether the file has certainly not changed since it was read.
func (f storedFile) same(now fs.FileInfo) bool {
	return os.SameFile(f.info, now) && f.info.Size() == now.Size() && f.info.Mode() == now.Mode() &&
		f.info.ModTime().Equal(now.ModTime()) && f.read.Sub(now.ModTime()) > racy
}
