#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim_internal.h"

#ifndef GZ_STATIC
typedef struct {
  uintptr_t code, begin, end;
} extent;

/* Looks for the part of a library that code lies in. */
static int find_extent(struct dl_phdr_info *library, size_t size, void *data) {
  extent *e = data;
  (void)size;
  for (int i = 0; i < library->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &library->dlpi_phdr[i];
    uintptr_t begin = library->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_LOAD && e->code >= begin && e->code < begin + part->p_memsz) {
      e->begin = begin;
      e->end = begin + part->p_memsz;
      return 1;
    }
  }
  return 0;
}
#endif

/* Whether the function that returns to this address was called by libzmq. In a static
 * program nothing tells libzmq's code from other code: all C code is taken for it, since
 * little else than libzmq's is there, and what follows does others no harm. */
int gz_called_by_libzmq(void *address) {
#ifdef GZ_STATIC
  (void)address;
  return 1;
#else
  /* Where libzmq's code lies is looked up once: it is never unloaded. */
  static _Atomic uintptr_t begin, end;
  if (!gz.version) return 0;
  if (!end) {
    extent found = {(uintptr_t)gz.version, 0, 0};
    dl_iterate_phdr(find_extent, &found);
    begin = found.begin;
    end = found.end;
  }
  return (uintptr_t)address >= begin && (uintptr_t)address < end;
#endif
}

/* Stands in for the C library's accept4, since a program's own functions come
 * before those of the libraries that it loads. It does the same, with one
 * exception: to libzmq it reports EMFILE as ENFILE, and so too that the system has no
 * memory. When a peer connects to an ipc listener and the process has no descriptor
 * left, libzmq aborts at the first and tries again at the second, as it does for tcp
 * at both. Go's own network code does not come by here. */
int accept4(int fd, struct sockaddr *address, socklen_t *len, int flags) {
  GZ_PASS_ON(accept4, fd, address, len, flags)
  int rc = (int)syscall(SYS_accept4, fd, address, len, flags);
  int err = errno;
  if (rc < 0 && (err == EMFILE || err == ENOMEM || err == ENOBUFS)) errno = ENFILE;
  return rc;
}
