package zmq

import (
	"io/fs"
	"os"
	"syscall"
)

func (c *endpointCheck) checkIPC() error {
	path, bind := c.address, c.verb == verbBind
	if path[0] == '*' && (path != "*" || !bind) {
		return c.fail(syscall.EINVAL, `"*" alone makes Bind generate a path, see LastEndpoint, and libzmq treats every path that begins with "*" like "*"; write ./%s`, path)
	}
	if !bind {
		return nil
	}
	if err := c.checkFD(true); err != nil || c.s.attach.hasFD || path == "*" {
		return err // with a given descriptor libzmq does not touch the file
	}
	// libzmq first unlinks the path, even if it is not a socket. For an abstract name it
	// unlinks a file with the name "@name".
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() != fs.ModeSocket {
		return c.fail(syscall.EEXIST, "%s exists and is not a socket, and libzmq would delete it; choose another path", path)
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
