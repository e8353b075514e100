package zmq

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// maxIPCPath is the length of the longest path of a UNIX domain socket. The system has 108
// bytes for the path and its final NUL.
const maxIPCPath = 107

func (c *endpointCheck) checkIPC() error {
	path := c.address
	switch {
	case len(path) > maxIPCPath:
		return c.fail(syscall.ENAMETOOLONG, "the path has %d bytes; the limit is %d", len(path), maxIPCPath)
	case path == "@":
		return c.fail(syscall.EINVAL, "there is no name after the @ of an abstract socket; add one")
	}
	if c.verb != verbBind {
		if path[0] == '*' {
			return c.fail(syscall.EINVAL, `"*" is for Bind, which generates a path; Connect needs that path, see LastEndpoint`)
		}
		return nil
	}
	if err := c.checkFD(true); err != nil || c.s.attach.hasFD {
		return err // with a given descriptor libzmq does not touch the file
	}
	if path[0] == '*' {
		if path != "*" {
			return c.fail(syscall.EINVAL, `libzmq treats every path that begins with "*" like "*"; write ./%s`, path)
		}
		return nil
	}
	if path[0] != '@' {
		if err := c.checkDirectory(filepath.Dir(path)); err != nil {
			return err
		}
	}
	// libzmq first unlinks the path, even if it is not a socket. For an abstract name it
	// unlinks a file with the name "@name".
	info, err := os.Lstat(path)
	switch {
	case err == nil && info.Mode().Type() != fs.ModeSocket:
		return c.fail(syscall.EEXIST, "%s exists and is not a socket, and libzmq would delete it; choose another path", path)
	case err != nil && !errors.Is(err, fs.ErrNotExist) && path[0] != '@':
		return &Error{Op: c.verb, Endpoint: c.endpoint, Errno: errnoOf(err), Detail: err.Error(), cause: cause{err}}
	}
	return nil
}

func (c *endpointCheck) checkDirectory(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return &Error{Op: c.verb, Endpoint: c.endpoint, Errno: errnoOf(err), Detail: "the directory must exist; create it first: " + err.Error(), cause: cause{err}}
	case !info.IsDir():
		return c.fail(syscall.ENOTDIR, "%s is not a directory", dir)
	}
	return nil
}

// checkFD refuses a descriptor of the wrong address family. libzmq would bind it without an
// error and never accept a connection.
func (c *endpointCheck) checkFD(unix bool) error {
	a := &c.s.attach
	if a.hasFD && a.fdUnix != unix {
		family := "TCP"
		if a.fdUnix {
			family = "UNIX domain"
		}
		return c.fail(syscall.EINVAL, "the descriptor of UseFD is a %s socket; bind an endpoint of that kind", family)
	}
	return nil
}
