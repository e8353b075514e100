#ifndef GZ_STATIC

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim_internal.h"

/* libzmq stops reading a connection when the queue behind it is full, by no longer asking
 * for EPOLLIN. The kernel tells it all the same when the peer hangs up. libzmq then forgets
 * the descriptor, and with it what is there to be read; and the next heartbeat, its own or
 * one of the peer's that it has read already, makes it abort (stream_engine_base.cpp,
 * out_event, !_io_error). So libzmq does not hear of its peer's end from epoll, but meets
 * it when it reads, after all that was sent, and closes the connection as any other:
 *
 * - Of a connection that can be read it is told only that. It calls in_event for a hang-up
 *   and again for what can be read, and the first may fill the queue.
 * - Of one that is not read it is told only that it can be written. One that waits for
 *   nothing is disarmed by EPOLLONESHOT once its peer hangs up, or it would be told of
 *   nothing without end.
 *
 * These stand in for the C library's functions, as accept4 in accept_linux.c does. */

/* Connections that are not read. In a program without any, epoll_wait costs a look at the
 * count. */
enum { BUCKETS = 1 << 10 };
typedef struct mute {
  struct mute *next;
  void *entry; /* what libzmq gives the kernel, and gets back from it */
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

int epoll_ctl(int ep, int op, int fd, struct epoll_event *event) {
  GZ_PASS_ON(epoll_ctl, ep, op, fd, event)
  if (op != EPOLL_CTL_ADD && event) {
    set_mute(ep, event->data.ptr, op == EPOLL_CTL_MOD && !(event->events & EPOLLIN));
    if (op == EPOLL_CTL_MOD && event->events == 0) {
      struct epoll_event once = *event;
      once.events = EPOLLONESHOT;
      return (int)syscall(SYS_epoll_ctl, ep, op, fd, &once);
    }
  }
  return (int)syscall(SYS_epoll_ctl, ep, op, fd, event);
}

int epoll_wait(int ep, struct epoll_event *events, int most, int timeout) {
  GZ_PASS_ON(epoll_wait, ep, events, most, timeout)
  int n = (int)syscall(SYS_epoll_pwait, ep, events, most, timeout, NULL, 8);
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

#endif
