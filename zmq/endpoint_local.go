package zmq

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// maxIPCPath is the longest path of a UNIX domain socket; the last of its 108
// bytes is the NUL.
const maxIPCPath = 107

func (c *endpointCheck) checkIPC() error {
	path := c.address
	switch {
	case len(path) > maxIPCPath:
		return c.fail(syscall.ENAMETOOLONG, "the path has %d bytes; the longest has %d", len(path), maxIPCPath)
	case path == "@":
		return c.fail(syscall.EINVAL, "there is no name after the @ of an abstract socket")
	}
	if c.verb != verbBind {
		if path[0] == '*' {
			return c.fail(syscall.EINVAL, `"*" is for Bind, which makes up a path; Connect needs that path, see LastEndpoint`)
		}
		return nil
	}
	if err := c.checkFD(true); err != nil || c.s.attach.hasFD {
		return err // libzmq leaves the file of a given descriptor alone
	}
	if path[0] == '*' {
		if path != "*" {
			return c.fail(syscall.EINVAL, `libzmq takes any path that begins with "*" for "*"; write ./%s`, path)
		}
		return nil
	}
	if path[0] != '@' {
		if err := c.checkDirectory(filepath.Dir(path)); err != nil {
			return err
		}
	}
	// libzmq unlinks the path first, whatever is there, and for an abstract name
	// also a file that is really called "@name".
	info, err := os.Lstat(path)
	switch {
	case err == nil && info.Mode().Type() != fs.ModeSocket:
		return c.fail(syscall.EEXIST, "%s exists and is not a socket; libzmq would delete it", path)
	case err != nil && !errors.Is(err, fs.ErrNotExist) && path[0] != '@':
		return &Error{Op: c.verb, Endpoint: c.endpoint, Errno: errnoOf(err), Detail: err.Error(), cause: err}
	}
	return nil
}

func (c *endpointCheck) checkDirectory(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return &Error{Op: c.verb, Endpoint: c.endpoint, Errno: errnoOf(err), Detail: "the directory must exist: " + err.Error(), cause: err}
	case !info.IsDir():
		return c.fail(syscall.ENOTDIR, "%s is not a directory", dir)
	}
	return nil
}

// checkFD: a descriptor of the wrong family would be bound without an error and
// never be heard of.
func (c *endpointCheck) checkFD(unix bool) error {
	a := &c.s.attach
	if a.hasFD && a.fdUnix != unix {
		family := "TCP"
		if a.fdUnix {
			family = "UNIX domain"
		}
		return c.fail(syscall.EINVAL, "the descriptor that UseFD gave is a %s socket", family)
	}
	return nil
}

// checkVMCI checks cid:port, either of which Bind may leave open.
func (c *endpointCheck) checkVMCI() error {
	cid, port, ok := strings.Cut(c.address, ":")
	if !ok || !isNumber(cid) && (c.verb != verbBind || cid != "*" && cid != "@") ||
		!isNumber(port) && (c.verb != verbBind || port != "*") {
		return c.fail(syscall.EINVAL, "the address is no cid:port of two numbers")
	}
	return nil
}

func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 32)
	return err == nil
}
