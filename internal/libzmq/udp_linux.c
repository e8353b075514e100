#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "draft.h"
#include "shim_internal.h"

/* The ports on which DISH sockets of this process receive, one bit each. */
static uint32_t dish[65536 / 32];

void gz_dish_port(int port, int on) {
  uint32_t bit = (uint32_t)1 << (port % 32);
  if (on)
    __atomic_or_fetch(&dish[port / 32], bit, __ATOMIC_RELEASE);
  else
    __atomic_and_fetch(&dish[port / 32], ~bit, __ATOMIC_RELEASE);
}

static int is_dish(int fd) {
  struct sockaddr_storage a;
  socklen_t len = sizeof a;
  if (getsockname(fd, (struct sockaddr *)&a, &len) < 0) return 0;
  int port = 0;
  if (a.ss_family == AF_INET) port = ntohs(((struct sockaddr_in *)&a)->sin_port);
  if (a.ss_family == AF_INET6) port = ntohs(((struct sockaddr_in6 *)&a)->sin6_port);
  return (__atomic_load_n(&dish[port / 32], __ATOMIC_ACQUIRE) >> (port % 32)) & 1;
}

/* Stands in for the C library's recvfrom, as accept4 in accept_linux.c does, and with
 * one exception does the same. A datagram for a DISH begins with the length of a group.
 * libzmq reads that as a signed number, and aborts the process at any byte of 128 or
 * more, which anyone may send; it loses memory when the group is cut off; and when
 * nothing is there, it gives its UDP socket up for a while. It gets the beginning of a
 * group of one byte instead, which it drops. */
ssize_t recvfrom(int fd, void *buf, size_t size, int flags, struct sockaddr *address, socklen_t *len) {
  GZ_PASS_ON(recvfrom, fd, buf, size, flags, address, len)
  ssize_t n = (ssize_t)syscall(SYS_recvfrom, fd, buf, size, flags, address, len);
  if (!buf || size == 0 || flags != 0) return n; /* not libzmq's call: a static program's other code */
  signed char *p = buf;
  int err = errno;
  int usual = n > 0 ? p[0] >= 0 && n > p[0] : n < 0 && err != EAGAIN;
  if (usual || !is_dish(fd)) {
    errno = err;
    return n;
  }
  p[0] = 1;
  return 1;
}
