/* On Windows libzmq and this program may have different C runtimes, and each C runtime has
 * an errno of its own. In the shims errno is therefore libzmq's, from zmq_errno, and all
 * error numbers are those that Go's package syscall has given their names
 * (errno_windows.go). */
#ifndef GOZMQ_ERRNO_WINDOWS_H
#define GOZMQ_ERRNO_WINDOWS_H

#include <errno.h>
#include <stdlib.h>

#undef errno
#define errno gz_errno()

#undef EAGAIN
#undef EHOSTUNREACH
#undef EINTR
#undef EINVAL
#undef EMFILE
#undef ENOMEM
#undef ENOTSUP
#define EAGAIN 536870918
#define EHOSTUNREACH 536870946
#define EINTR 536870950
#define EINVAL 536870951
#define EMFILE 536870971
#define ENOMEM 536870991
#define ENOTSUP 536871006

enum { GZ_ERRNOS = 141 }; /* the numbers of Microsoft's C runtime are smaller */

/* Go's numbers, by those of the C runtime. 0: Go has the same number. */
extern int gz_errnos[GZ_ERRNOS];

/* zmq_errno of the libzmq that is used. */
extern int (*gz_last_error)(void);

int gz_errno(void);

#endif
