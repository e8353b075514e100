#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "draft.h"
#include "guard.h"
#include "vendored.h"

/* The guard keeps remote peers from aborting the process through bugs of libzmq. It sets
 * libzmq's own imports of some functions of the C library to functions of this file. No
 * other code in the process is affected: the C library's functions keep their names, and
 * other libraries keep their imports. A libzmq that was loaded has its imports in its ELF
 * image (guard_elf_linux.c), one that is compiled in has them in variables (vendored.h). */

static int gz_accept4(int, struct sockaddr *, socklen_t *, int);
static int gz_epoll_ctl(int, int, int, struct epoll_event *);
static int gz_epoll_wait(int, struct epoll_event *, int, int);
static ssize_t gz_recvfrom(int, void *, size_t, int, struct sockaddr *, socklen_t *);

/* The functions that those of this file call: the old values of libzmq's imports, which may
 * be wrappers of a preloaded library or of a sanitizer. If the loader has not resolved an
 * import of libzmq yet, this program's own import is called. */
static int (*next_accept4)(int, struct sockaddr *, socklen_t *, int) = (void *)accept4;
static int (*next_epoll_ctl)(int, int, int, struct epoll_event *) = epoll_ctl;
static int (*next_epoll_wait)(int, struct epoll_event *, int, int) = epoll_wait;
static ssize_t (*next_recvfrom)(int, void *, size_t, int, struct sockaddr *, socklen_t *) = (void *)recvfrom;

/* Row: in docs/safety.md, which names the tests. The tests are in package test/aborts.
 *
 * function    row  libzmq's bug                               test
 * accept4       3  ipc_listener.cpp: asserts on EMFILE        TestAborts/03
 * epoll_ctl    57  stream_engine_base.cpp: !_io_error         TestAborts/57
 * epoll_wait   57  the same                                   TestAborts/57
 * recvfrom     40  udp_engine.cpp: a length read as signed    TestAborts/40 */
static gz_import imports[] = {
    {"accept4", gz_accept4, &next_accept4, 0},
    {"epoll_ctl", gz_epoll_ctl, &next_epoll_ctl, 0},
    {"epoll_wait", gz_epoll_wait, &next_epoll_wait, 0},
    {"recvfrom", gz_recvfrom, &next_recvfrom, 0},
};
enum { IMPORTS = sizeof imports / sizeof *imports };

/* A peer connects to an ipc listener while the process has no file descriptor or memory
 * left. libzmq aborts on these errors, but tries again on ENFILE. */
static int gz_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags) {
  int rc = next_accept4(fd, address, len, flags);
  if (rc < 0 && (errno == EMFILE || errno == ENOMEM || errno == ENOBUFS)) errno = ENFILE;
  return rc;
}

/* libzmq stops reading a connection when the queue behind it is full: it no longer asks for
 * EPOLLIN. epoll still reports a hang-up of the peer. libzmq then drops the descriptor, with
 * the data that can be read. The next heartbeat, its own or one of the peer that it has
 * read already, makes it abort in out_event. So these functions hide the hang-up. libzmq
 * meets it when it reads, after all data, and closes the connection like any other:
 *
 * - If a connection can be read, that is all that is reported. libzmq calls in_event for
 *   the hang-up and again for the data, and the first call may fill the queue.
 * - If libzmq does not read it, it is reported only if it can be written. A connection that
 *   waits for nothing gets EPOLLONESHOT, which disarms it when the peer hangs up.
 *   Otherwise epoll_wait would return at once, forever.
 *
 * The connections that libzmq does not read are kept in a hash table. While there are none,
 * epoll_wait costs one look at their number. */
enum { BUCKETS = 1 << 10 };
typedef struct mute {
  struct mute *next;
  void *entry; /* libzmq's pointer in the event */
  int ep;
} mute;
static mute *mutes[BUCKETS];
static atomic_int muted;
static pthread_mutex_t mutes_lock = PTHREAD_MUTEX_INITIALIZER;

static mute **bucket_of(int ep, void *entry) {
  mute **at = &mutes[((uintptr_t)entry >> 5 ^ (uintptr_t)ep) % BUCKETS];
  while (*at && ((*at)->entry != entry || (*at)->ep != ep)) at = &(*at)->next;
  return at;
}

static void set_mute(int ep, void *entry, int on) {
  if (!on && !atomic_load(&muted)) return;
  pthread_mutex_lock(&mutes_lock);
  mute **at = bucket_of(ep, entry), *m = *at;
  if (on && !m && (m = malloc(sizeof *m))) {
    *m = (mute){0, entry, ep};
    *at = m;
    atomic_fetch_add(&muted, 1);
  } else if (!on && m) {
    *at = m->next;
    free(m);
    atomic_fetch_sub(&muted, 1);
  }
  pthread_mutex_unlock(&mutes_lock);
}

static int gz_epoll_ctl(int ep, int op, int fd, struct epoll_event *event) {
  if (op != EPOLL_CTL_ADD && event) {
    set_mute(ep, event->data.ptr, op == EPOLL_CTL_MOD && !(event->events & EPOLLIN));
    if (op == EPOLL_CTL_MOD && event->events == 0) {
      struct epoll_event once = *event;
      once.events = EPOLLONESHOT;
      return next_epoll_ctl(ep, op, fd, &once);
    }
  }
  return next_epoll_ctl(ep, op, fd, event);
}

static int gz_epoll_wait(int ep, struct epoll_event *events, int most, int timeout) {
  int n = next_epoll_wait(ep, events, most, timeout);
  int some = n > 0 && atomic_load(&muted);
  if (some) pthread_mutex_lock(&mutes_lock);
  for (int i = 0; i < n; i++) {
    if (events[i].events & EPOLLIN)
      events[i].events &= ~(uint32_t)(EPOLLHUP | EPOLLERR);
    else if (some && *bucket_of(ep, events[i].data.ptr))
      events[i].events &= EPOLLOUT;
  }
  if (some) pthread_mutex_unlock(&mutes_lock);
  return n;
}

/* The UDP ports on which DISH sockets of this process receive, one bit each. */
static uint32_t dish[65536 / 32];

void gz_dish_port(int port, bool on) {
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

/* A datagram for a DISH begins with the length of a group. libzmq reads it as a signed
 * number and aborts if the byte is above 127. It loses memory if the group is cut off, and
 * if there is no datagram it stops reading its UDP socket for a while. In these cases it
 * gets the beginning of a group of one byte, which it drops. */
static ssize_t gz_recvfrom(int fd, void *buf, size_t size, int flags, struct sockaddr *address, socklen_t *len) {
  ssize_t n = next_recvfrom(fd, buf, size, flags, address, len);
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

/* Sets the imports of a libzmq that is compiled in, all or none. */
static int redirect_vendored(const gozmq_vendored *v) {
  for (int i = 0; i < IMPORTS; i++)
    if (!v->import(imports[i].name)) return 0;
  for (int i = 0; i < IMPORTS; i++) {
    void **slot = v->import(imports[i].name);
    memcpy(imports[i].next, slot, sizeof *slot);
    __atomic_store_n(slot, imports[i].ours, __ATOMIC_RELEASE);
  }
  return 1;
}

int gz_guard(void) { return gz_taken ? redirect_vendored(gz_taken) : gz_redirect(imports, IMPORTS); }
