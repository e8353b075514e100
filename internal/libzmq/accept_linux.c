#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim_internal.h"

/* Whether the function that returns to this address was called by libzmq. In a static
 * program nothing tells libzmq's code from other code: all C code is taken for it, since
 * little else than libzmq's is there, and what follows does others no harm. */
int gz_called_by_libzmq(void *address) {
#ifdef GZ_STATIC
  (void)address;
  return 1;
#else
  Dl_info caller, library;
  return gz.version && dladdr(address, &caller) && dladdr((void *)gz.version, &library) &&
         caller.dli_fbase == library.dli_fbase;
#endif
}

/* Stands in for the C library's accept4, since a program's own functions come
 * before those of the libraries that it loads. It does the same, with one
 * exception: to libzmq it reports EMFILE as ENFILE. When a peer connects to an
 * ipc listener and the process has no descriptor left, libzmq aborts at the
 * first and tries again at the second, as it does for tcp at both. Go's own
 * network code does not come by here. */
int accept4(int fd, struct sockaddr *address, socklen_t *len, int flags) {
  int rc = (int)syscall(SYS_accept4, fd, address, len, flags);
  if (rc < 0 && errno == EMFILE) errno = gz_called_by_libzmq(__builtin_return_address(0)) ? ENFILE : EMFILE;
  return rc;
}
