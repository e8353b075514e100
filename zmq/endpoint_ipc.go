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

// checkIPC also checks what makes a bind fail, because libzmq then reports another error
// number if it has to tell a monitor.
func (c *endpointCheck) checkIPC() error {
	path, bind := c.address, c.verb == verbBind
	switch {
	case len(path) > maxIPCPath:
		return c.fail(syscall.ENAMETOOLONG, "the path has %d bytes; the limit is %d", len(path), maxIPCPath)
	case path == "@":
		return c.fail(syscall.EINVAL, "there is no name after the @ of an abstract socket; add one")
	case path[0] == '*' && (path != "*" || !bind):
		return c.fail(syscall.EINVAL, `"*" alone makes Bind generate a path, see LastEndpoint, and libzmq treats every path that begins with "*" like "*"; write ./%s`, path)
	case !bind:
		return nil
	}
	if err := c.checkFD(true); err != nil || c.s.attach.hasFD || path == "*" {
		return err // with a given descriptor libzmq does not touch the file
	}
	// libzmq first unlinks the path, even if it is not a socket. For an abstract name it
	// unlinks a file with the name "@name".
	info, err := os.Lstat(path)
	if err == nil && info.Mode().Type() != fs.ModeSocket {
		return c.fail(syscall.EEXIST, "%s exists and is not a socket, and libzmq would delete it; choose another path", path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		_, err = os.Stat(filepath.Dir(path))
	}
	if err != nil && path[0] != '@' {
		return c.fail(errnoOf(err), "the directory of the path must exist; create it first: %v", err)
	}
	return nil
}

// checkFD refuses a descriptor of the wrong address family. libzmq would bind it without an
// error and never accept a connection.
func (c *endpointCheck) checkFD(unix bool) error {
	a := c.s.attach
	if a.hasFD && a.fdUnix != unix {
		family := "TCP"
		if a.fdUnix {
			family = "UNIX domain"
		}
		return c.fail(syscall.EINVAL, "the descriptor of UseFD is a %s socket; bind an endpoint of that kind", family)
	}
	return nil
}
