package libzmq

// #include "api.h"
import "C"

import "syscall"

// errnos are the numbers that package syscall has given to error numbers of Microsoft's C
// runtime, which libzmq uses.
var errnos = [C.GZ_ERRNOS]syscall.Errno{
	1: syscall.EPERM, 4: syscall.EINTR, 5: syscall.EIO, 9: syscall.EBADF, 11: syscall.EAGAIN,
	12: syscall.ENOMEM, 13: syscall.EACCES, 14: syscall.EFAULT, 16: syscall.EBUSY,
	17: syscall.EEXIST, 19: syscall.ENODEV, 22: syscall.EINVAL, 23: syscall.ENFILE,
	24: syscall.EMFILE, 28: syscall.ENOSPC, 32: syscall.EPIPE, 38: syscall.ENAMETOOLONG,
	40: syscall.ENOSYS, 100: syscall.EADDRINUSE, 101: syscall.EADDRNOTAVAIL,
	102: syscall.EAFNOSUPPORT, 103: syscall.EALREADY, 104: syscall.EBADMSG,
	105: syscall.ECANCELED, 106: syscall.ECONNABORTED, 107: syscall.ECONNREFUSED,
	108: syscall.ECONNRESET, 109: syscall.EDESTADDRREQ, 110: syscall.EHOSTUNREACH,
	112: syscall.EINPROGRESS, 113: syscall.EISCONN, 115: syscall.EMSGSIZE,
	116: syscall.ENETDOWN, 117: syscall.ENETRESET, 118: syscall.ENETUNREACH,
	119: syscall.ENOBUFS, 123: syscall.ENOPROTOOPT, 126: syscall.ENOTCONN,
	128: syscall.ENOTSOCK, 129: syscall.ENOTSUP, 130: syscall.EOPNOTSUPP,
	134: syscall.EPROTO, 135: syscall.EPROTONOSUPPORT, 138: syscall.ETIMEDOUT,
	140: syscall.EWOULDBLOCK,
}

// Go and C must agree on these numbers.
var _ = [1]struct{}{}[(C.EAGAIN-syscall.EAGAIN)|(C.EHOSTUNREACH-syscall.EHOSTUNREACH)|(C.EINTR-syscall.EINTR)|
	(C.EINVAL-syscall.EINVAL)|(C.EMFILE-syscall.EMFILE)|(C.ENOMEM-syscall.ENOMEM)|(C.ENOTSUP-syscall.ENOTSUP)]

// Errno converts an error number that libzmq has put into a message.
func Errno(n int) syscall.Errno {
	if n > 0 && n < len(errnos) && errnos[n] != 0 {
		return errnos[n]
	}
	return syscall.Errno(n)
}
