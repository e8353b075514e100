#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "draft.h"
#include "shim_internal.h"

/* When a thread-safe socket is closed, libzmq's reaper needs an eventfd, and aborts
 * the process if it gets none. Some are kept here for that moment. */
enum { SPARES = 8 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int spares[SPARES], have;

static int make(unsigned int count, int flags) { return (int)syscall(SYS_eventfd2, count, flags); }

void gz_spares_fill(void) {
  pthread_mutex_lock(&lock);
  while (have < SPARES) {
    int fd = make(0, EFD_CLOEXEC);
    if (fd < 0) break;
    spares[have++] = fd;
  }
  pthread_mutex_unlock(&lock);
}

/* Stands in for the C library's eventfd, as accept4 in accept_linux.c does. It does
 * the same, but when there is none to be had it gives libzmq one of those kept. Of the
 * errors libzmq knows EMFILE and ENFILE, and aborts at others, such as ENOMEM. */
int eventfd(unsigned int count, int flags) {
  GZ_PASS_ON(eventfd, count, flags)
  int fd = make(count, flags);
  if (fd >= 0) return fd;
  int err = errno;
  if (count == 0 && !(flags & ~EFD_CLOEXEC)) { /* what libzmq asks for, and those kept are */
    pthread_mutex_lock(&lock);
    if (have > 0) fd = spares[--have];
    pthread_mutex_unlock(&lock);
    if (err != EMFILE) err = ENFILE;
  }
  errno = err;
  return fd;
}
