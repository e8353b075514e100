/* The parts of the C library that Windows has under other names. */
#ifndef GOZMQ_SYSTEM_H
#define GOZMQ_SYSTEM_H

#include <stdint.h>
#include <stdlib.h>

#ifdef _WIN32
#include <malloc.h>

#define gz_aligned_alloc(size) _aligned_malloc(size, 64)
#define gz_aligned_free(p) _aligned_free(p)

/* Sends one byte to a waker, see waker_windows.go. */
void gz_wake(int64_t wake);

/* Returns the time of a monotonic clock in nanoseconds. */
int64_t gz_now(void);

#else
#include <errno.h>
#include <time.h>
#include <unistd.h>

#define gz_aligned_alloc(size) aligned_alloc(64, size)
#define gz_aligned_free(p) free(p)

/* Writes one byte to a pipe. If the pipe is full, it already holds a byte, and one byte is
 * enough. */
static inline void gz_wake(int64_t wake) {
  int err = errno;
  ssize_t n;
  do n = write((int)wake, "", 1);
  while (n < 0 && errno == EINTR);
  errno = err;
}

static inline int64_t gz_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
#endif

#endif
